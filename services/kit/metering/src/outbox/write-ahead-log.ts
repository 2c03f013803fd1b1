import { rm } from "node:fs/promises";
import type { Log } from "@tollgate/core/log";
import type { EncodedEvent } from "./encoded-event.ts";
import type { EventStore, Events } from "./event-store.ts";
import { createJournal, type Journal } from "./wal-segment.ts";

/** The journals of a living process. */
export interface Journals {
  /** Raises what the file system does. */
  keep(events: readonly EncodedEvent[]): void;
  /** Is written with what is kept next. */
  forget(eventId: string): void;
  /** What was kept last is on the platter when it returns. */
  sync(): void;
  /**
   * Keeps nothing more. Answers what is kept and not forgotten, once the journals that had none
   * left are gone: the next to have their names would find in them what was forgotten since.
   */
  close(): Promise<Events>;
  /** Throws them away, with what is in them. */
  remove(): Promise<void>;
}

/** Journals so young still lose many of their events. */
const youngJournals = 4;

/** A journal, and the events in it that are not forgotten, with what they come to. */
interface Segment {
  number: number;
  path: string;
  journal: Journal;
  events: Events;
  bytes: number;
}

/**
 * Begins a journal, and the next one when it has `journalBytes`. Nearly all events are forgotten
 * soon, and a journal that has none left is thrown away. One that has few is emptied into the next,
 * so that what nobody takes for long keeps no more on disk than it needs.
 */
export function createJournals(
  { firstJournal, pathOf }: EventStore,
  journalBytes: number,
  log: Log,
): Journals {
  let number = firstJournal;
  let current = begin();
  const full = new Set<Segment>();
  let forgotten: string[] = [];
  let isClosed = false;
  const removals = new Set<Promise<void>>();

  function begin(): Segment {
    const path = pathOf(number);
    const segment = { number, path, journal: createJournal(path), events: new Map(), bytes: 0 };
    number += 1;
    return segment;
  }

  function write(events: readonly EncodedEvent[]): void {
    current.journal.write(forgotten, events);
    forgotten = [];
    for (const { id, bytes } of events) {
      drop(current, id);
      current.events.set(id, bytes);
      current.bytes += bytes.byteLength;
    }
  }

  /** Answers whether it was there. */
  function drop(segment: Segment, eventId: string): boolean {
    const bytes = segment.events.get(eventId);
    if (bytes === undefined) return false;
    segment.bytes -= bytes.byteLength;
    return segment.events.delete(eventId);
  }

  function turnOver(): void {
    const last = current;
    try {
      current = begin();
      emptySparse();
    } catch (error) {
      log.error({ reason: (error as Error).message }, "the spool's journals grow");
    }
    if (current === last) return;
    full.add(last);
    last.journal.close();
    if (last.events.size === 0) discard(last);
  }

  function emptySparse(): void {
    const sparse = sparseOf(full, current.number - youngJournals, journalBytes);
    if (sparse.length === 0) return;
    for (const { events } of sparse) write(copiesOf(events));
    // What has lain there for long was on the platter.
    current.journal.sync();
    sparse.forEach(discard);
  }

  /** What it tells of older journals goes with it: what comes again of those, the ledger has. */
  function discard(segment: Segment): void {
    full.delete(segment);
    segment.events.clear();
    const removal = rm(segment.path)
      .catch((error: Error) => {
        log.error({ reason: error.message }, "an empty journal could not be removed");
      })
      .finally(() => removals.delete(removal));
    removals.add(removal);
  }

  return {
    keep(events) {
      if (current.journal.size() >= journalBytes && !isClosed) turnOver();
      write(events);
    },
    forget(eventId) {
      // The files may be another process's by now.
      if (isClosed) return;
      if (drop(current, eventId)) forgotten.push(eventId);
      for (const segment of full) {
        if (!drop(segment, eventId)) continue;
        if (segment.events.size === 0) discard(segment);
        else forgotten.push(eventId);
      }
    },
    sync: () => current.journal.sync(),
    async close() {
      isClosed = true;
      current.journal.close();
      await Promise.all(removals);
      return new Map([...full, current].flatMap(({ events }) => [...events]));
    },
    async remove() {
      for (const { path } of [...full, current]) await rm(path);
    },
  };
}

/** What was kept together lies in one buffer, which none of it is to keep for long. */
function copiesOf(events: Events): EncodedEvent[] {
  return Array.from(events, ([id, bytes]) => ({ id, bytes: bytes.slice() }));
}

/**
 * Those before a number of which less than half is needed, and no more at once than so many bytes.
 */
function sparseOf(segments: Iterable<Segment>, before: number, mostBytes: number): Segment[] {
  const sparse: Segment[] = [];
  let sum = 0;
  for (const segment of segments) {
    const { number, journal, bytes } = segment;
    if (number >= before || bytes >= journal.size() / 2) continue;
    sparse.push(segment);
    sum += bytes;
    if (sum >= mostBytes) break;
  }
  return sparse;
}
