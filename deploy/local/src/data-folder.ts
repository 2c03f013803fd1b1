import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isAlive, startMark } from "./process-table.ts";

const maxAttempts = 20;
const lockName = "launcher.pid";
const heirMark = ".heir-of-";

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
  const lock = join(path, lockName);
  const own = `${process.pid} ${(await startMark(process.pid)) ?? ""}`.trim();
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (await claim(lock, own)) return { path, release: () => release(lock, own) };
    const last = await holderOf(lock);
    if (last === undefined) continue;
    if (await inherit(path, last, own)) return { path, release: () => release(lock, own) };
  }
  throw new Error(`the data folder ${path} cannot be locked`);
}

/**
 * Takes the lock over from `last`. A dead launcher has one heir at most: the one whose claim on its
 * name came first, or, where that one died too, that one's heir. The claim alone is not enough: the
 * heir before may have come and gone, which shows in the lock.
 */
async function inherit(path: string, last: string, own: string): Promise<boolean> {
  const lock = join(path, lockName);
  for (let holder = last; ; ) {
    if (await isRunning(holder)) {
      throw new Error(`the data folder ${path} is in use by process ${holder.split(" ")[0]}`);
    }
    const heir = `${lock}${heirMark}${holder.replace(" ", "-")}`;
    if (await claim(heir, own)) {
      const mine = (await holderOf(lock)) === last;
      if (mine) {
        await rename(heir, lock);
        await removeHeirs(path);
      } else {
        await rm(heir, { force: true });
      }
      return mine;
    }
    const next = await holderOf(heir);
    if (next === undefined) return false;
    holder = next;
  }
}

/** Makes the file with its text in one step, or not at all where it is there already. */
async function claim(file: string, text: string): Promise<boolean> {
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

function holderOf(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}

async function isRunning(holder: string): Promise<boolean> {
  const [id = "", ...mark] = holder.split(" ");
  const pid = Number(id);
  if (!(pid > 0) || !isAlive(pid)) return false;
  const now = await startMark(pid);
  return now === undefined || mark.length === 0 || now === mark.join(" ");
}

async function removeHeirs(path: string): Promise<void> {
  const heirs = (await readdir(path)).filter((name) => name.startsWith(`${lockName}${heirMark}`));
  for (const name of heirs) await rm(join(path, name), { force: true });
}

async function release(lock: string, own: string): Promise<void> {
  if ((await holderOf(lock)) === own) await rm(lock, { force: true });
}
