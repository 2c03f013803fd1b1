import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

/** What is kept in memory; more goes to a file that has no name any more once it is open. */
const maxMemoryBytes = 256 * 1024;
const pieceBytes = 64 * 1024;

/** An upload that has arrived whole and can be read more than once, in constant memory. */
export interface UploadStore {
  /** Writes come out in the order in which they were made, awaited or not. None after disposal. */
  write(chunk: Buffer): Promise<void>;
  readonly bytes: number;
  /** The start of it, up to 256 KiB. */
  head(): Buffer;
  /** Reads it from the byte at `start` on, `length` bytes or to its end. */
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
      file = await openNameless();
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
      return Readable.from(piecesOf(file, start, end), { objectMode: false });
    },
    async dispose() {
      isDisposed = true;
      await writing.catch(() => {});
      await file?.close();
      file = undefined;
    },
  };
}

/** A stream of `node:fs` closes the file when it is destroyed, and other readings with it. */
async function* piecesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const room = Buffer.allocUnsafe(Math.min(pieceBytes, end - at));
    const { bytesRead } = await file.read(room, 0, room.length, at);
    if (bytesRead === 0) throw new Error("the file of an upload is shorter than what was written");
    yield room.subarray(0, bytesRead);
    at += bytesRead;
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `tollgate-upload-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  // Where an open file cannot lose its name, the operating system clears it away with the rest.
  await unlink(path).catch(() => {});
  return file;
}

/** Opens a store for one upload and disposes of it in the end. */
export async function withUploadStore<T>(work: (store: UploadStore) => Promise<T>): Promise<T> {
  const store = createUploadStore();
  try {
    return await work(store);
  } finally {
    await store.dispose();
  }
}
