import { existsSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";

const root = "/sys/fs/cgroup";

/**
 * Calls `start` with this process in a control group that has so many MiB, in which what it starts
 * stays. `defer` receives what removes the group once its processes have ended. Needs Linux, root and
 * the memory controller, of cgroup v1 or v2.
 */
export async function startWithMemory<T>(
  mebibytes: number,
  start: () => Promise<T>,
  defer: (remove: () => Promise<void>) => void,
): Promise<T> {
  const isVersion2 = existsSync(`${root}/cgroup.controllers`);
  const parent = isVersion2 ? root : `${root}/memory`;
  const folder = `${parent}/tollgate-${process.pid}`;
  await mkdir(folder);
  defer(() => rmdir(folder));
  const limit = isVersion2 ? "memory.max" : "memory.limit_in_bytes";
  await writeFile(`${folder}/${limit}`, String(mebibytes * 1024 * 1024));
  await writeFile(`${folder}/cgroup.procs`, String(process.pid));
  try {
    return await start();
  } finally {
    await writeFile(`${parent}/cgroup.procs`, String(process.pid));
  }
}
