import { existsSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";

const root = "/sys/fs/cgroup";

/** A control group of Linux, which limits the processes in it together. */
export interface ControlGroup {
  /** Moves a process into the group. The processes that it starts then begin in the group, too. */
  enter(pid: number): Promise<void>;
  /** Moves a process back into the root group. */
  leave(pid: number): Promise<void>;
  /** Removes the group, which must have no processes. */
  remove(): Promise<void>;
}

/** The limits of a controller, as the contents of its files in cgroup v1 and in v2. */
export interface ControllerLimits {
  controller: "cpu" | "memory";
  version1: Readonly<Record<string, string>>;
  version2: Readonly<Record<string, string>>;
}

/** Creates a control group. Needs Linux, root and the controller, of cgroup v1 or v2. */
export async function createControlGroup(
  name: string,
  { controller, version1, version2 }: ControllerLimits,
): Promise<ControlGroup> {
  const isVersion2 = existsSync(`${root}/cgroup.controllers`);
  const parent = isVersion2 ? root : `${root}/${controller}`;
  const folder = `${parent}/tollgate-${name}`;
  await mkdir(folder);
  for (const [file, value] of Object.entries(isVersion2 ? version2 : version1)) {
    await writeFile(`${folder}/${file}`, value);
  }
  return {
    enter: (pid) => writeFile(`${folder}/cgroup.procs`, String(pid)),
    leave: (pid) => writeFile(`${parent}/cgroup.procs`, String(pid)),
    remove: () => rmdir(folder),
  };
}
