import { mkdir, open, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

export interface DataFolder {
  path: string;
  release(): Promise<void>;
}

/**
 * Opens the folder in which the embedded servers keep their data, for this launcher alone. Raises
 * an Error that names the process which has it open already; a lock that a dead one left is taken.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  await mkdir(path, { recursive: true });
  const lock = join(path, "launcher.pid");
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (await tryLock(lock)) return { path, release: () => rm(lock, { force: true }) };
    const pid = Number(await readFile(lock, "utf8").catch(() => "0"));
    if (pid > 0 && pid !== process.pid && isAlive(pid)) {
      throw new Error(`the data folder ${path} is in use by process ${pid}`);
    }
    await rm(lock, { force: true });
  }
  throw new Error(`the data folder ${path} cannot be locked`);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function tryLock(file: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx");
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
