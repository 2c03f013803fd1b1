import { mkdir, rmdir, writeFile } from "node:fs/promises";

const mebibyte = 1024 * 1024;

/** A control group with so much memory, as a container has it. */
export interface MemoryLimit {
  /** Runs `work` with this process in the group: processes that it starts then stay in it. */
  within<T>(work: () => Promise<T>): Promise<T>;
  /** Removes the group, which must have no processes. */
  remove(): Promise<void>;
}

/**
 * Creates a control group with a limit of `mebibytes`. Needs Linux, root and the memory controller of
 * cgroup v1 or v2.
 */
export async function createMemoryLimit(name: string, mebibytes: number): Promise<MemoryLimit> {
  const bytes = String(mebibytes * mebibyte);
  try {
    return await createGroup("/sys/fs/cgroup/memory", name, { "memory.limit_in_bytes": bytes });
  } catch {
    return await createGroup("/sys/fs/cgroup", name, { "memory.max": bytes });
  }
}

async function createGroup(
  root: string,
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<MemoryLimit> {
  const folder = `${root}/tollgate-${name}-${process.pid}`;
  const enter = (group: string) => writeFile(`${group}/cgroup.procs`, String(process.pid));
  await mkdir(folder);
  for (const [file, value] of Object.entries(settings)) await writeFile(`${folder}/${file}`, value);
  return {
    async within(work) {
      await enter(folder);
      try {
        return await work();
      } finally {
        await enter(root);
      }
    },
    remove: () => rmdir(folder),
  };
}
