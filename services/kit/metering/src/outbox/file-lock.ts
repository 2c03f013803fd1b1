import { DatabaseSync } from "node:sqlite";

/** An exclusive lock on a file. */
export interface FileLock {
  release(): void;
}

/** SQLite's result code for a lock that another connection has. */
const sqliteBusy = 5;
/**
 * SQLite takes a lock in two steps. Of two processes that are between them at the same time, both
 * would fail without a retry; with one, the first gets the lock.
 */
const retryMs = 50;

/**
 * Locks the file at `path`, which it creates when it is missing. Returns undefined when another
 * process, or this one, has the lock. Throws SQLite's error when the file cannot be used.
 *
 * Node has no call for file locks, but SQLite, which is part of Node, takes one for a transaction:
 * by `fcntl` on Unix, by `LockFileEx` on Windows. The kernel releases it when the process ends,
 * however it ends, so a lock is never stale. A process id in the file would not show that: in
 * containers that share a volume, each process may have the same. A heartbeat would not show it at
 * once, nor when the clock jumps. The lock holds between all processes of a machine, including
 * those of different containers. Nothing is written to the file.
 *
 * A lock file must not be deleted, or two processes could lock two files of the same name. The
 * owner must not open it by other means: `fcntl` drops a process's lock when the process closes
 * any of its descriptors of the file.
 */
export function lockFile(path: string): FileLock | undefined {
  const database = new DatabaseSync(path, { timeout: retryMs });
  try {
    // Without a journal file: nothing is written that could be rolled back.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}
