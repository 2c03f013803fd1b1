import { mkdir } from "node:fs/promises";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { decodeEvents, type EncodedEvent } from "./encoded-event.ts";
import { type EventStore, type Events, openFirstStore, openOtherStores } from "./event-store.ts";
import { createJournals, type Journals } from "./write-ahead-log.ts";

/**
 * Usage events on disk, for as long as nobody else is known to have them. They outlive the process,
 * however it ends; a write is not waited for until it is on the platter.
 */
export interface Spool {
  /** What earlier processes left behind. */
  leftovers: readonly UsageEvent[];
  /** They outlive the process when it returns. Raises what the file system does. */
  keep(events: readonly EncodedEvent[]): void;
  /** Goes to disk with an event that is kept later: one that is handed over again does no harm. */
  forget(eventId: string): void;
  close(): Promise<void>;
}

/**
 * Opens a spool of this process alone in `folder`. What dead ones left in theirs is taken over.
 * Raises a StartError when the folder cannot be used.
 */
export async function openSpool(
  folder: string,
  log: Log,
  journalBytes = 1024 * 1024,
): Promise<Spool> {
  try {
    await mkdir(folder, { recursive: true });
    const store = await openFirstStore(folder);
    const journals = createJournals(store, journalBytes, log);
    const events = await takeOver(store, journals);
    for (const other of await openOtherStores(folder, store)) {
      for (const [id, bytes] of await takeOver(other, journals)) events.set(id, bytes);
      await other.close();
    }
    const leftovers = decodeAll(events, log);
    if (leftovers.length > 0) log.warn({ events: leftovers.length }, "events left behind");
    return {
      leftovers,
      keep: journals.keep,
      forget: journals.forget,
      async close() {
        await leave(journals, store, log);
        await store.close();
      },
    };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new StartError(`the spool of usage events in ${folder} cannot be used: ${reason}`);
  }
}

/** Moves what a dead process left into our journal. */
async function takeOver(store: EventStore, journals: Journals): Promise<Events> {
  const events = await store.read();
  if (events.size > 0) {
    journals.keep(Array.from(events, ([id, bytes]) => ({ id, bytes })));
    journals.sync();
  }
  await store.clear();
  return events;
}

/** Nothing is kept any more. What lies in the journals goes into the store, or stays there. */
async function leave(journals: Journals, store: EventStore, log: Log): Promise<void> {
  try {
    await store.leave(await journals.close());
    await journals.remove();
  } catch (error) {
    const { message: reason } = error as Error;
    log.error({ reason }, "usage events stay in their journals");
  }
}

function decodeAll(events: Events, log: Log): UsageEvent[] {
  return [...events].flatMap(([id, value]) => {
    try {
      return decodeEvents(value);
    } catch (error) {
      log.error({ event: id, reason: (error as Error).message }, "a spooled event is unreadable");
      return [];
    }
  });
}
