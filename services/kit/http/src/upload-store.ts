import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ProxiedRequest } from "./proxied-request.ts";
import { type UploadReservation, uploadFilePrefix } from "./upload-space.ts";

/** The most bytes held in memory. Larger uploads are written to a file, unlinked once open. */
const maxMemoryBytes = 256 * 1024;
const readBytes = 64 * 1024;

/** A complete upload, which can be read more than once, in constant memory. */
export interface UploadStore {
  /**
   * Appends a chunk. Writes are done in the order of the calls, awaited or not. Ignored after
   * `dispose`. Rejects with `no_provider_available` where the upload has no space on disk.
   */
  write(chunk: Buffer): Promise<void>;
  /** Returns how many bytes were written, those in progress included. */
  byteLength(): number;
  /** Returns the first bytes, up to 256 KiB. */
  head(): Buffer;
  /** Reads `length` bytes from offset `start`, or to the end. */
  read(start?: number, length?: number): Readable;
  dispose(): Promise<void>;
}

/** Creates a store that reserves disk space before it writes, until it is disposed of. */
export function createUploadStore(
  space: UploadReservation,
  openFile: () => Promise<FileHandle> = openUnlinked,
): UploadStore {
  const inMemory: Buffer[] = [];
  let bytes = 0;
  let file: FileHandle | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isDisposed = false;

  async function write(chunk: Buffer, offset: number): Promise<void> {
    if (file !== undefined || offset + chunk.length > maxMemoryBytes) {
      space.grow(file === undefined ? offset + chunk.length : chunk.length);
      await writeToFile(chunk, offset).catch((error) => {
        throw isDiskFull(error) ? space.diskFull(error) : error;
      });
    }
    if (offset < maxMemoryBytes) inMemory.push(chunk.subarray(0, maxMemoryBytes - offset));
  }

  async function writeToFile(chunk: Buffer, offset: number): Promise<void> {
    if (file === undefined) {
      file = await openFile();
      await writeAll(file, Buffer.concat(inMemory), 0);
    }
    await writeAll(file, chunk, offset);
  }

  return {
    write(chunk) {
      if (isDisposed) return writing;
      const offset = bytes;
      bytes += chunk.length;
      writing = writing.then(() => write(chunk, offset));
      return writing;
    },
    byteLength: () => bytes,
    head: () => Buffer.concat(inMemory),
    read(start = 0, length = bytes - start) {
      const end = start + length;
      if (file === undefined || length === 0) {
        return Readable.from([Buffer.concat(inMemory).subarray(start, end)], { objectMode: false });
      }
      return Readable.from(readFile(file, start, end), { objectMode: false });
    },
    async dispose() {
      isDisposed = true;
      await writing.catch(() => {});
      try {
        await file?.close();
      } finally {
        file = undefined;
        space.release();
      }
    },
  };
}

/** A disk that is nearly full takes a part of the bytes first. */
async function writeAll(file: FileHandle, contents: Buffer, offset: number): Promise<void> {
  for (let at = 0; at < contents.length; ) {
    const { bytesWritten } = await file.write(contents, at, contents.length - at, offset + at);
    at += bytesWritten;
  }
}

function isDiskFull(error: unknown): error is Error {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}

/** A stream of `node:fs` would close the file when it is destroyed, and so end other reads. */
async function* readFile(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const buffer = Buffer.allocUnsafe(Math.min(readBytes, end - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0)
      throw new Error("the file of an upload is shorter than the bytes written to it");
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

async function openUnlinked(): Promise<FileHandle> {
  const path = join(tmpdir(), `${uploadFilePrefix}${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  // Where an open file cannot be unlinked, it stays until `removeLeftUploads`.
  await unlink(path).catch(() => {});
  return file;
}

/** Runs `work` with a store for the upload of a request, and disposes of the store at its end. */
export async function withUploadStore<T>(
  { uploads, caller }: ProxiedRequest,
  work: (store: UploadStore) => Promise<T>,
): Promise<T> {
  const store = createUploadStore(uploads.open(caller.keyId));
  try {
    return await work(store);
  } finally {
    await store.dispose();
  }
}
