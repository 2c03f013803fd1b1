import { closeSync, fsyncSync, openSync } from "node:fs";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { type FileLock, lockFile } from "./file-lock.ts";

/**
 * The segments of one process in a folder that several share. Partitions are numbered. A process
 * owns one by the lock on its `<partition>.lock`, and its segments are `<partition>.<segment>.wal`.
 */
export interface Partition {
  /** The numbers of its segments, oldest first. */
  segments(): Promise<number[]>;
  pathOf(segment: number): string;
  /** Fsyncs the folder, and so the existence of the segments. */
  sync(): void;
  /** Releases the partition and its segments. */
  unlock(): void;
}

/**
 * Locks the first partition of `folder` that no living process owns, and moves into it the segments
 * of all partitions whose owners have ended.
 */
export async function openPartition(folder: string): Promise<Partition> {
  const own = lockFirst(folder);
  for (const other of await listPartitions(folder)) {
    const lock = other === own.number ? undefined : lockFile(lockPath(folder, other));
    if (lock === undefined) continue;
    await moveSegments(folder, other, own.number);
    lock.release();
  }
  return {
    segments: () => listSegments(folder, own.number),
    pathOf: (segment) => segmentPath(folder, own.number, segment),
    sync: () => syncFolder(folder),
    unlock: own.lock.release,
  };
}

function lockFirst(folder: string): { number: number; lock: FileLock } {
  for (let number = 0; ; number += 1) {
    const lock = lockFile(lockPath(folder, number));
    if (lock !== undefined) return { number, lock };
  }
}

/** Moves segments. A process that ends in between leaves some in each partition, and loses none. */
async function moveSegments(folder: string, from: number, to: number): Promise<void> {
  const present = await listSegments(folder, to);
  let next = (present.at(-1) ?? -1) + 1;
  for (const segment of await listSegments(folder, from)) {
    await rename(segmentPath(folder, from, segment), segmentPath(folder, to, next));
    next += 1;
  }
}

async function listPartitions(folder: string): Promise<number[]> {
  return numbersIn(await readdir(folder), /^(\d+)\.lock$/);
}

async function listSegments(folder: string, partition: number): Promise<number[]> {
  return numbersIn(await readdir(folder), new RegExp(`^${partition}\\.(\\d+)\\.wal$`));
}

function numbersIn(names: readonly string[], pattern: RegExp): number[] {
  const numbers = names.flatMap((name) => pattern.exec(name)?.slice(1).map(Number) ?? []);
  return numbers.sort((one, other) => one - other);
}

function lockPath(folder: string, partition: number): string {
  return join(folder, `${partition}.lock`);
}

function segmentPath(folder: string, partition: number, segment: number): string {
  return join(folder, `${partition}.${segment}.wal`);
}

function syncFolder(path: string): void {
  // Windows opens no folder as a file.
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
