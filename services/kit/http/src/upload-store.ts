import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

/** The most bytes held in memory. Larger uploads are written to a file, unlinked once open. */
const maxMemoryBytes = 256 * 1024;
const readBytes = 64 * 1024;

/** A complete upload, which can be read more than once, in constant memory. */
export interface UploadStore {
  /**
   * Appends a chunk. Writes are done in the order of the calls, awaited or not. Ignored after
   * `dispose`.
   */
  write(chunk: Buffer): Promise<void>;
  readonly bytes: number;
  /** Returns the first bytes, up to 256 KiB. */
  head(): Buffer;
  /** Reads `length` bytes from offset `start`, or to the end. */
  read(start?: number, length?: number): Readable;
  dispose(): Promise<void>;
}

export function createUploadStore(): UploadStore {
  const inMemory: Buffer[] = [];
  let bytes = 0;
  let file: FileHandle | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isDisposed = false;

  async function write(chunk: Buffer, offset: number): Promise<void> {
    if (file === undefined && offset + chunk.length > maxMemoryBytes) {
      file = await openUnlinked();
      await file.write(Buffer.concat(inMemory), 0, offset, 0);
    }
    if (file !== undefined) await file.write(chunk, 0, chunk.length, offset);
    if (offset < maxMemoryBytes) inMemory.push(chunk.subarray(0, maxMemoryBytes - offset));
  }

  return {
    write(chunk) {
      if (isDisposed) return writing;
      const offset = bytes;
      bytes += chunk.length;
      writing = writing.then(() => write(chunk, offset));
      return writing;
    },
    get bytes() {
      return bytes;
    },
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
      await file?.close();
      file = undefined;
    },
  };
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
  const path = join(tmpdir(), `tollgate-upload-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  // Where an open file cannot be unlinked, it stays until the temporary folder is cleaned.
  await unlink(path).catch(() => {});
  return file;
}

/** Runs `work` with a store for one upload, and disposes of the store at its end. */
export async function withUploadStore<T>(work: (store: UploadStore) => Promise<T>): Promise<T> {
  const store = createUploadStore();
  try {
    return await work(store);
  } finally {
    await store.dispose();
  }
}
