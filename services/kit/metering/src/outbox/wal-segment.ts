import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { EncodedEvent } from "./encoded-event.ts";

/**
 * A segment is a sequence of records, each a header and a body. All integers are unsigned and
 * little-endian.
 *
 * | bytes | content |
 * |---|---|
 * | 4 | length of the body |
 * | 4 | CRC-32 of the body |
 * | 1 | kind of the record: 1 an event was appended, 2 an event was removed |
 * | 2 | length of the event's id |
 * | … | the event's id, UTF-8 |
 * | … | kind 1 only: the event, as a `UsageEventBatch` of protobuf, or running requests: `lost-event.ts` |
 *
 * A removal concerns the events of the segment itself and of older segments. A record whose length
 * or checksum does not fit ends the segment: its process was killed while it wrote.
 */
const headerBytes = 8;
const idOffset = 3;
const kinds = { append: 1, remove: 2 } as const;

export type WalRecord =
  | { kind: "append"; id: string; bytes: Uint8Array }
  | { kind: "remove"; id: string };

/** Writes one segment. */
export interface SegmentWriter {
  /** Bytes that were written. */
  size(): number;
  /**
   * Appends records. When it returns, they survive the end of the process, but not yet a
   * power failure. Throws the file system's error, and then appends nothing.
   */
  write(removedIds: readonly string[], events: readonly EncodedEvent[]): void;
  /** Fsyncs what was written. */
  sync(): void;
  /** Safe to repeat. */
  close(): void;
}

/** Creates a segment at `path`. */
export function createSegment(path: string): SegmentWriter {
  const file = openSync(path, "w", 0o600);
  let isOpen = true;
  let size = 0;

  function truncate(): void {
    try {
      ftruncateSync(file, size);
    } catch {
      // The next write starts at `size` anyway.
    }
  }

  return {
    size: () => size,
    // Synchronous: a round trip to the thread pool takes longer than the write.
    write(removedIds, events) {
      // The descriptor of a closed file is reused for the next file that is opened.
      if (!isOpen) throw new Error("the segment is closed");
      const bytes = encode(removedIds, events);
      try {
        let written = 0;
        while (written < bytes.length) {
          written += writeSync(file, bytes, written, bytes.length - written, size + written);
        }
      } catch (error) {
        truncate();
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

/** Reads the records of the segment at `path`, up to the first that is incomplete. */
export async function readSegment(path: string): Promise<{ size: number; records: WalRecord[] }> {
  const bytes = await readFile(path);
  const records: WalRecord[] = [];
  let offset = 0;
  while (offset + headerBytes <= bytes.length) {
    const bodyOffset = offset + headerBytes;
    const length = bytes.readUInt32LE(offset);
    const body = bytes.subarray(bodyOffset, bodyOffset + length);
    if (length < idOffset || body.length < length) break;
    if (crc32(body) !== bytes.readUInt32LE(offset + 4)) break;
    records.push(decode(body));
    offset = bodyOffset + length;
  }
  return { size: bytes.length, records };
}

function decode(body: Buffer): WalRecord {
  const idEnd = idOffset + body.readUInt16LE(1);
  const id = body.toString("utf8", idOffset, idEnd);
  if (body[0] === kinds.remove) return { kind: "remove", id };
  return { kind: "append", id, bytes: body.subarray(idEnd) };
}

const noEvent = new Uint8Array();

function encode(removedIds: readonly string[], events: readonly EncodedEvent[]): Buffer {
  let length = 0;
  for (const id of removedIds) length += headerBytes + idOffset + Buffer.byteLength(id);
  for (const { id, bytes } of events) {
    length += headerBytes + idOffset + Buffer.byteLength(id) + bytes.length;
  }
  const target = Buffer.allocUnsafe(length);
  let offset = 0;
  for (const id of removedIds) offset = writeRecord(target, offset, kinds.remove, id, noEvent);
  for (const { id, bytes } of events) {
    offset = writeRecord(target, offset, kinds.append, id, bytes);
  }
  return target;
}

/** Returns the offset of the next record. */
function writeRecord(
  target: Buffer,
  offset: number,
  kind: number,
  id: string,
  bytes: Uint8Array,
): number {
  const bodyOffset = offset + headerBytes;
  const idLength = target.write(id, bodyOffset + idOffset);
  const end = bodyOffset + idOffset + idLength + bytes.length;
  target[bodyOffset] = kind;
  target.writeUInt16LE(idLength, bodyOffset + 1);
  target.set(bytes, bodyOffset + idOffset + idLength);
  target.writeUInt32LE(end - bodyOffset, offset);
  target.writeUInt32LE(crc32(target.subarray(bodyOffset, end)), offset + 4);
  return end;
}
