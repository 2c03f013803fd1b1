import { rm } from "node:fs/promises";
import type { Log } from "@tollgate/core/log";
import type { EncodedEvent } from "./encoded-event.ts";
import type { Partition } from "./partition.ts";
import { createSegment, readSegment, type SegmentWriter } from "./wal-segment.ts";

/** Encoded usage events by their ids. */
export type Events = Map<string, Uint8Array>;

/** The newest segments are not rewritten: many of their events will soon be removed. */
const youngSegments = 4;

/** A segment, and those of its events that were not removed. */
interface Segment {
  number: number;
  path: string;
  /** Bytes of the file. */
  size: number;
  events: Events;
  /** Bytes of `events`. */
  eventBytes: number;
}

/** Reads the segments of a partition. The log appends to new ones of about `segmentBytes`. */
export async function openWriteAheadLog(
  partition: Partition,
  segmentBytes: number,
  log: Log,
): Promise<WriteAheadLog> {
  return new WriteAheadLog(partition, await readSegments(partition), segmentBytes, log);
}

/**
 * The usage events of a partition. Most are removed soon after they were appended, and a segment
 * without events is deleted. A segment with few is rewritten into the newest, so that events which
 * stay for long take little more space than they need.
 */
export class WriteAheadLog {
  readonly #partition: Partition;
  readonly #segmentBytes: number;
  readonly #log: Log;
  /** Oldest first. */
  readonly #full: Set<Segment>;
  readonly #deletions = new Set<Promise<void>>();
  #current: Segment;
  #writer: SegmentWriter;
  #unwrittenRemovals: string[] = [];
  #isClosed = false;

  constructor(partition: Partition, present: readonly Segment[], segmentBytes: number, log: Log) {
    this.#partition = partition;
    this.#segmentBytes = segmentBytes;
    this.#log = log;
    this.#full = new Set(present);
    this.#current = emptySegment(partition, (present.at(-1)?.number ?? -1) + 1);
    this.#writer = createSegment(this.#current.path);
    for (const segment of present) if (segment.events.size === 0) this.#discard(segment);
  }

  /** Returns the events that were appended and not removed. */
  events(): Events {
    return new Map([...this.#full, this.#current].flatMap(({ events }) => [...events]));
  }

  /** Appends events. Throws the file system's error. */
  append(events: readonly EncodedEvent[]): void {
    if (this.#current.size >= this.#segmentBytes && !this.#isClosed) this.#rollAndClean();
    this.#write(events);
  }

  /** Removes an event. The removal is written with the next append. */
  remove(eventId: string): void {
    // The files may belong to another process by now.
    if (this.#isClosed) return;
    if (drop(this.#current, eventId)) this.#unwrittenRemovals.push(eventId);
    for (const segment of this.#full) {
      if (!drop(segment, eventId)) continue;
      if (segment.events.size === 0) this.#discard(segment);
      else this.#unwrittenRemovals.push(eventId);
    }
  }

  /** Leaves exactly `events()` in the partition, fsynced. Nothing can be appended afterwards. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#rewriteAll();
    } catch (error) {
      const { message: reason } = error as Error;
      this.#log.error({ reason }, "usage event segments were not compacted");
    }
    this.#writer.close();
    await Promise.all(this.#deletions);
  }

  #write(events: readonly EncodedEvent[]): void {
    this.#writer.write(this.#unwrittenRemovals, events);
    this.#unwrittenRemovals = [];
    this.#current.size = this.#writer.size();
    for (const event of events) put(this.#current, event);
  }

  #sync(): void {
    this.#writer.sync();
    this.#partition.sync();
  }

  /** Starts a new segment after the current one. */
  #roll(): void {
    const next = emptySegment(this.#partition, this.#current.number + 1);
    const writer = createSegment(next.path);
    this.#full.add(this.#current);
    this.#writer.close();
    this.#current = next;
    this.#writer = writer;
  }

  /** Throws nothing: where no segment can be created, the current one grows. */
  #rollAndClean(): void {
    const last = this.#current;
    try {
      this.#roll();
      this.#rewriteSparse();
    } catch (error) {
      this.#log.error({ reason: (error as Error).message }, "usage event segments grow");
    }
    if (this.#full.has(last) && last.events.size === 0) this.#discard(last);
  }

  #rewriteSparse(): void {
    const before = this.#current.number - youngSegments;
    const sparse = sparseSegments(this.#full, before, this.#segmentBytes);
    if (sparse.length === 0) return;
    for (const { events } of sparse) this.#write(copyAll(events));
    // The files that are deleted were written long ago, and so durable.
    this.#sync();
    for (const segment of sparse) this.#discard(segment);
  }

  /** Rewrites all segments into new ones, which record no removals, and deletes the old ones. */
  #rewriteAll(): void {
    if (this.#current.events.size > 0 || this.#full.size > 0) this.#roll();
    const old = [...this.#full];
    for (const { events } of old) {
      this.#write(copyAll(events));
      if (this.#current.size < this.#segmentBytes) continue;
      this.#writer.sync();
      this.#roll();
    }
    this.#sync();
    for (const segment of old) this.#discard(segment);
    if (this.#current.events.size === 0) this.#discard(this.#current);
  }

  /**
   * Deletes a segment, and with it the removals of older events that it records. After a crash
   * those events are recovered, which does no harm: the ledger has them, and captures none twice.
   */
  #discard(segment: Segment): void {
    this.#full.delete(segment);
    segment.events.clear();
    const deletion = rm(segment.path)
      .catch((error: Error) => {
        this.#log.error({ reason: error.message }, "a usage event segment was not deleted");
      })
      .finally(() => this.#deletions.delete(deletion));
    this.#deletions.add(deletion);
  }
}

async function readSegments(partition: Partition): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const number of await partition.segments()) {
    const segment = emptySegment(partition, number);
    const { size, records } = await readSegment(segment.path);
    segment.size = size;
    segments.push(segment);
    for (const record of records) {
      if (record.kind === "append") put(segment, record);
      else for (const one of segments) drop(one, record.id);
    }
  }
  return segments;
}

function emptySegment(partition: Partition, number: number): Segment {
  return { number, path: partition.pathOf(number), size: 0, events: new Map(), eventBytes: 0 };
}

function put(segment: Segment, { id, bytes }: EncodedEvent): void {
  drop(segment, id);
  segment.events.set(id, bytes);
  segment.eventBytes += bytes.byteLength;
}

/** Returns whether the event was in the segment. */
function drop(segment: Segment, eventId: string): boolean {
  const bytes = segment.events.get(eventId);
  if (bytes === undefined) return false;
  segment.eventBytes -= bytes.byteLength;
  return segment.events.delete(eventId);
}

/** Events that were appended together share one buffer. A copy lets that be collected. */
function copyAll(events: Events): EncodedEvent[] {
  return Array.from(events, ([id, bytes]) => ({ id, bytes: bytes.slice() }));
}

/**
 * Returns the segments numbered below `before` of which less than half is needed, with at most
 * about `maxBytes` of events together.
 */
function sparseSegments(segments: Iterable<Segment>, before: number, maxBytes: number): Segment[] {
  const sparse: Segment[] = [];
  let sum = 0;
  for (const segment of segments) {
    if (segment.number >= before || segment.eventBytes >= segment.size / 2) continue;
    sparse.push(segment);
    sum += segment.eventBytes;
    if (sum >= maxBytes) break;
  }
  return sparse;
}
