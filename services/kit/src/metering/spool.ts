import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { StartError } from "../errors.ts";
import type { Log } from "../log.ts";
import { createTurnBatch } from "../turn-batch.ts";
import type { EncodedEvent } from "./encoded-event.ts";
import { adoptOthers, type OwnStore, openFirstStore } from "./event-store.ts";
import { createJournal, type Journal } from "./journal.ts";

const batchLimit = 1_000;
/** So many are forgotten of the store before it is told. */
const forgetLimit = 1_000;

/**
 * Usage events on disk, for as long as nobody else is known to have them. They outlive the process,
 * however it ends; a write is not waited for until it is on the platter.
 */
export interface Spool {
  /** What earlier processes left behind. */
  leftovers: readonly UsageEvent[];
  /** Raises what the file system does. */
  keep(event: EncodedEvent): Promise<void>;
  /** Goes to disk with an event that is kept later: one that is handed over again does no harm. */
  forget(eventId: string): void;
  close(): Promise<void>;
}

/**
 * Opens a spool of this process alone in `folder`. What dead ones left in theirs is taken over. Raises
 * a StartError when the folder cannot be used.
 */
export async function openSpool(
  folder: string,
  log: Log,
  journalBytes = 1024 * 1024,
): Promise<Spool> {
  try {
    await mkdir(folder, { recursive: true });
    const own = await openFirstStore(folder);
    const adopted = await adoptOthers(folder, own);
    const leftovers = decodeAll(await own.store.iterator().all(), log);
    if (leftovers.length > 0) log.warn({ events: leftovers.length, adopted }, "events left behind");
    return { leftovers, ...createKeeper(folder, own, log, journalBytes) };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new StartError(`the spool of usage events in ${folder} cannot be used: ${reason}`);
  }
}

/** A journal, and the events in it that are not forgotten. */
interface Segment {
  path: string;
  journal: Journal;
  events: Map<string, Uint8Array>;
}

/**
 * Events go into a journal. Nearly all are forgotten before it is full; then the others are moved into
 * the store, and it is thrown away.
 */
function createKeeper(
  folder: string,
  { store, name }: OwnStore,
  log: Log,
  journalBytes: number,
): Omit<Spool, "leftovers"> {
  let number = 0;
  let current = begin();
  const full = new Set<Segment>();
  /** What no journal tells of yet. */
  let forgotten: string[] = [];
  /** What the store has and nobody needs. */
  let forgottenOfStore: string[] = [];
  let settled: Promise<void> = Promise.resolve();

  function begin(): Segment {
    const path = join(folder, `${name}.${number}.journal`);
    number += 1;
    return { path, journal: createJournal(path), events: new Map() };
  }

  async function write(events: readonly EncodedEvent[]): Promise<void> {
    current.journal.write(forgotten, events);
    forgotten = [];
    for (const { id, bytes } of events) current.events.set(id, bytes);
    if (current.journal.size() < journalBytes) return;
    const last = current;
    try {
      current = begin();
    } catch (error) {
      return log.error({ reason: (error as Error).message }, "the spool's journal grows");
    }
    full.add(last);
    void settle();
  }

  /** One after the other. Never raises: the journals are still there, and the next call tries again. */
  function settle(): Promise<void> {
    settled = settled.then(async () => {
      try {
        await tellStore();
        for (const segment of full) await move(segment);
      } catch (error) {
        log.error({ reason: (error as Error).message }, "the spool's store could not be written");
      }
    });
    return settled;
  }

  async function tellStore(): Promise<void> {
    const ids = forgottenOfStore;
    forgottenOfStore = [];
    try {
      await store.batch(ids.map((key) => ({ type: "del", key })));
    } catch (error) {
      forgottenOfStore.push(...ids);
      throw error;
    }
  }

  async function move(segment: Segment): Promise<void> {
    const moved = [...segment.events];
    await store.batch(moved.map(([key, value]) => ({ type: "put", key, value })));
    full.delete(segment);
    for (const [id] of moved) if (!segment.events.has(id)) forgottenOfStore.push(id);
    segment.journal.close();
    await rm(segment.path);
  }

  return {
    keep: createTurnBatch(write, batchLimit),
    forget(eventId) {
      let isInJournal = current.events.delete(eventId);
      for (const { events } of full) isInJournal = events.delete(eventId) || isInJournal;
      if (isInJournal) forgotten.push(eventId);
      else forgottenOfStore.push(eventId);
      if (forgottenOfStore.length === forgetLimit) void settle();
    },
    async close() {
      full.add(current);
      await settle();
      await store.close();
    },
  };
}

function decodeAll(rows: readonly [string, Uint8Array][], log: Log): UsageEvent[] {
  return rows.flatMap(([key, value]) => {
    try {
      return [fromBinary(UsageEventSchema, value)];
    } catch (error) {
      log.error({ event: key, reason: (error as Error).message }, "a spooled event is unreadable");
      return [];
    }
  });
}
