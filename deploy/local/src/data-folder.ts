import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isAlive, processStartTime } from "./process-table.ts";

const maxAttempts = 20;
const lockName = "launcher.pid";
const recoveryMark = ".recovery-of-";

export interface DataFolder {
  /** The absolute path. */
  path: string;
  /** Releases the lock. */
  release(): Promise<void>;
}

/**
 * Opens and locks the folder in which the embedded servers store their data; creates it if needed.
 * Throws an Error that names the process which holds the lock. Recovers the lock of a dead
 * launcher, even when another program has its process id now.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  await mkdir(path, { recursive: true });
  const lock = join(path, lockName);
  const self = `${process.pid} ${(await processStartTime(process.pid)) ?? ""}`.trim();
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (await createFile(lock, self)) return { path, release: () => release(lock, self) };
    const last = await readHolder(lock);
    if (last === undefined) continue;
    if (await recoverLock(path, last, self)) return { path, release: () => release(lock, self) };
  }
  throw new Error(`the data folder ${path} cannot be locked`);
}

/**
 * Recovers the lock of the dead holder `last` and resolves with whether it succeeded. Only the
 * process that creates the recovery file of a dead holder may take its lock. If that process died,
 * too, the next one creates the recovery file of that process. The lock is read again afterwards,
 * because an earlier recovery may already be complete.
 */
async function recoverLock(path: string, last: string, self: string): Promise<boolean> {
  const lock = join(path, lockName);
  for (let holder = last; ; ) {
    if (await isRunning(holder)) {
      throw new Error(
        `the data folder ${path} is in use by process ${holder.split(" ")[0]}: stop that process, ` +
          "or set TOLLGATE_DATA_DIR to another folder",
      );
    }
    const recovery = `${lock}${recoveryMark}${holder.replace(" ", "-")}`;
    if (await createFile(recovery, self)) {
      const isCurrent = (await readHolder(lock)) === last;
      if (isCurrent) {
        await rename(recovery, lock);
        await removeRecoveryFiles(path);
      } else {
        await rm(recovery, { force: true });
      }
      return isCurrent;
    }
    const next = await readHolder(recovery);
    if (next === undefined) return false;
    holder = next;
  }
}

/** Creates the file with its text atomically. Resolves with false when it exists. */
async function createFile(file: string, text: string): Promise<boolean> {
  const draft = join(dirname(file), `${lockName}.${randomUUID()}`);
  await writeFile(draft, text);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function readHolder(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}

async function isRunning(holder: string): Promise<boolean> {
  const [id = "", ...startTime] = holder.split(" ");
  const pid = Number(id);
  if (!(pid > 0) || !isAlive(pid)) return false;
  const now = await processStartTime(pid);
  return now === undefined || startTime.length === 0 || now === startTime.join(" ");
}

async function removeRecoveryFiles(path: string): Promise<void> {
  const files = (await readdir(path)).filter((name) =>
    name.startsWith(`${lockName}${recoveryMark}`),
  );
  for (const name of files) await rm(join(path, name), { force: true });
}

async function release(lock: string, self: string): Promise<void> {
  if ((await readHolder(lock)) === self) await rm(lock, { force: true });
}
