import {
  constants,
  copyFile,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, startMark } from "./process-table.ts";

const maxAttempts = 20;
/** A lock file that stays empty this long was left by a launcher that died while it wrote it. */
const maxEmptyMs = 1_000;
const pollMs = 100;

export interface DataFolder {
  /** Absolute. */
  path: string;
  /** Lets the next launcher in. */
  release(): Promise<void>;
}

/**
 * Opens the folder in which the embedded servers keep their data, for this launcher alone; makes it
 * when it is not there. Raises an Error that names the process which has it open already. A lock
 * that a dead launcher left is taken over, also when its process id went to another program since.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  await mkdir(path, { recursive: true });
  const lock = join(path, "launcher.pid");
  const own = `${process.pid} ${(await startMark(process.pid)) ?? ""}`.trim();
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (await tryLock(lock, own)) return { path, release: () => release(lock, own) };
    const holder = await readFile(lock, "utf8").catch(() => undefined);
    if (holder === undefined) continue;
    if (holder === "" && (await isYoung(lock))) {
      await sleep(pollMs);
      continue;
    }
    if (await isRunning(holder)) {
      throw new Error(`the data folder ${path} is in use by process ${holder.split(" ")[0]}`);
    }
    await removeStale(lock, holder);
  }
  throw new Error(`the data folder ${path} cannot be locked`);
}

async function tryLock(lock: string, own: string): Promise<boolean> {
  try {
    await writeFile(lock, own, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isYoung(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found === undefined || Date.now() - found.mtimeMs < maxEmptyMs;
}

async function isRunning(holder: string): Promise<boolean> {
  const [id = "", ...mark] = holder.split(" ");
  const pid = Number(id);
  if (!(pid > 0) || !isAlive(pid)) return false;
  const now = await startMark(pid);
  return now === undefined || mark.length === 0 || now === mark.join(" ");
}

/** Of two launchers that find a dead one's lock at once, the slower may hold the faster's here. */
async function removeStale(lock: string, holder: string): Promise<void> {
  const aside = `${lock}.${process.pid}`;
  try {
    await rename(lock, aside);
    if ((await readFile(aside, "utf8")) === holder) return;
    await copyFile(aside, lock, constants.COPYFILE_EXCL);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "EEXIST") throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function release(lock: string, own: string): Promise<void> {
  const holder = await readFile(lock, "utf8").catch(() => undefined);
  if (holder === own) await rm(lock, { force: true });
}
