import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { EncodedEvent } from "./encoded-event.ts";

/**
 * A record is the length of its body and the CRC-32 of that, both 32 bits and little-endian, and
 * the body: what happened, the length of the event's id in 16 bits, the id, and for one that is
 * kept the event.
 */
const headBytes = 8;
const idAt = 3;
const kept = 1;
const forgotten = 2;

/** A file of usage events that were kept and forgotten, as it happened. */
export interface Journal {
  /** Bytes that were written. */
  size(): number;
  /**
   * Adds to the end. In the page cache when it returns, so that it outlives the process. Raises
   * what the file system does, and then adds nothing.
   */
  write(forgottenIds: readonly string[], events: readonly EncodedEvent[]): void;
  /** What was written is on the platter when it returns. */
  sync(): void;
  /** Safe to repeat. */
  close(): void;
}

/** Begins one at `path`. */
export function createJournal(path: string): Journal {
  const file = openSync(path, "w", 0o600);
  let isOpen = true;
  let size = 0;

  function cut(): void {
    try {
      ftruncateSync(file, size);
    } catch {
      // The next write begins there all the same.
    }
  }

  return {
    size: () => size,
    // Not left to another thread: the way there and back takes longer than the write.
    write(forgottenIds, events) {
      // The number of a file that is closed is given to the next that is opened.
      if (!isOpen) throw new Error("the journal is closed");
      const bytes = encode(forgottenIds, events);
      try {
        let written = 0;
        while (written < bytes.length) {
          written += writeSync(file, bytes, written, bytes.length - written, size + written);
        }
      } catch (error) {
        cut();
        throw error;
      }
      size += bytes.length;
    },
    sync: () => fdatasyncSync(file),
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/**
 * Does to `events`, which are named by their ids, what the journal at `path` tells. A record that
 * was not written to its end is the last.
 */
export async function replayJournal(path: string, events: Map<string, Uint8Array>): Promise<void> {
  const bytes = await readFile(path);
  let at = 0;
  while (at + headBytes <= bytes.length) {
    const bodyAt = at + headBytes;
    const length = bytes.readUInt32LE(at);
    const body = bytes.subarray(bodyAt, bodyAt + length);
    if (length < idAt || body.length < length || crc32(body) !== bytes.readUInt32LE(at + 4)) return;
    const idEnd = idAt + body.readUInt16LE(1);
    const id = body.toString("utf8", idAt, idEnd);
    if (body[0] === kept) events.set(id, body.subarray(idEnd));
    else events.delete(id);
    at = bodyAt + length;
  }
}

const nothing = new Uint8Array();

function encode(forgottenIds: readonly string[], events: readonly EncodedEvent[]): Buffer {
  let length = 0;
  for (const id of forgottenIds) length += headBytes + idAt + Buffer.byteLength(id);
  for (const { id, bytes } of events) {
    length += headBytes + idAt + Buffer.byteLength(id) + bytes.length;
  }
  const all = Buffer.allocUnsafe(length);
  let at = 0;
  for (const id of forgottenIds) at = writeRecord(all, at, forgotten, id, nothing);
  for (const { id, bytes } of events) at = writeRecord(all, at, kept, id, bytes);
  return all;
}

/** Answers where the next one begins. */
function writeRecord(all: Buffer, at: number, what: number, id: string, bytes: Uint8Array): number {
  const bodyAt = at + headBytes;
  const idLength = all.write(id, bodyAt + idAt);
  const end = bodyAt + idAt + idLength + bytes.length;
  all[bodyAt] = what;
  all.writeUInt16LE(idLength, bodyAt + 1);
  all.set(bytes, bodyAt + idAt + idLength);
  all.writeUInt32LE(end - bodyAt, at);
  all.writeUInt32LE(crc32(all.subarray(bodyAt, end)), at + 4);
  return end;
}
