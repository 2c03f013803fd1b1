import { createIndexedSet, type Indexed } from "@tollgate/core/indexed-set";
import type { Log } from "@tollgate/core/log";
import type { Signal } from "@tollgate/core/signal";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { type EncodedEvent, encodeEvents } from "./encoded-event.ts";
import type { EventLog } from "./event-log.ts";

/** A usage event that the ledger is not yet known to have. */
export interface PendingEvent extends Indexed {
  event: UsageEvent;
  /** Encoded when it is first needed. */
  encoded: EncodedEvent | undefined;
  /**
   * `sending`: a first call to the broker or the ledger is in progress. `published`: the broker has
   * acknowledged it. `unsent`: only this process has it.
   */
  state: "sending" | "published" | "unsent";
  /** When the event was added or, in state `published`, acknowledged; of `performance.now()`. */
  sinceMs: number;
  isOnDisk: boolean;
  /** Is notified when the broker or the ledger has the event. */
  delivered: Signal | undefined;
}

/** The pending events of a process, and where each one is. */
export interface PendingEvents {
  add(event: UsageEvent, state: PendingEvent["state"], isOnDisk: boolean): PendingEvent;
  /**
   * Writes the events to disk that are not on it yet. Throws nothing: events that cannot be written
   * stay off the disk.
   */
  persist(events: readonly PendingEvent[]): void;
  /** Marks events that the broker has acknowledged. */
  markPublished(events: readonly PendingEvent[]): void;
  /** Removes events that the ledger has, also from disk. */
  removeRecorded(events: readonly PendingEvent[]): void;
  /** Returns the events in `state` that are at least `minAgeMs` old. */
  inState(state: PendingEvent["state"], minAgeMs: number): PendingEvent[];
  size(): number;
  /** Returns how many events are on disk. */
  onDisk(): number;
  /** Returns how many events the broker has not acknowledged. */
  unsent(): number;
}

export function createPendingEvents(parts: {
  eventLog: Pick<EventLog, "append" | "remove">;
  log: Log;
  metrics: Pick<Metrics, "usageEventsPending">;
}): PendingEvents {
  const { eventLog, log, metrics } = parts;
  const all = createIndexedSet<PendingEvent>();
  let onDisk = 0;
  return {
    add(event, state, isOnDisk) {
      const [encoded, delivered, sinceMs] = [undefined, undefined, performance.now()];
      const pending = { event, encoded, state, sinceMs, isOnDisk, delivered, index: -1 };
      all.add(pending);
      if (isOnDisk) onDisk += 1;
      metrics.usageEventsPending.inc();
      return pending;
    },
    persist(events) {
      const others = events.filter(({ isOnDisk }) => !isOnDisk);
      if (others.length === 0) return;
      try {
        eventLog.append(encodedOf(others));
        for (const pending of others) pending.isOnDisk = true;
        onDisk += others.length;
      } catch (error) {
        const reason = (error as Error).message;
        log.error({ event_ids: idsOf(others), reason }, "usage events not written to disk");
      }
    },
    markPublished(events) {
      const sinceMs = performance.now();
      for (const pending of events) {
        pending.state = "published";
        pending.sinceMs = sinceMs;
        pending.delivered?.notify();
      }
    },
    removeRecorded(events) {
      for (const pending of events) {
        all.remove(pending);
        pending.delivered?.notify();
        if (!pending.isOnDisk) continue;
        eventLog.remove(pending.event.id);
        onDisk -= 1;
      }
      metrics.usageEventsPending.dec(events.length);
    },
    inState(state, minAgeMs) {
      const before = performance.now() - minAgeMs;
      return all.filter((pending) => pending.state === state && pending.sinceMs <= before);
    },
    size: all.size,
    onDisk: () => onDisk,
    unsent: () => all.filter(({ state }) => state !== "published").length,
  };
}

/** Returns whether the event survives this process: it is on disk, or delivered. */
export function isDurable({ state, isOnDisk, index }: PendingEvent): boolean {
  return isOnDisk || state === "published" || index < 0;
}

export function idsOf(events: readonly PendingEvent[]): string[] {
  return events.map(({ event }) => event.id);
}

export function usageEventsOf(events: readonly PendingEvent[]): UsageEvent[] {
  return events.map(({ event }) => event);
}

export function encodedOf(events: readonly PendingEvent[]): EncodedEvent[] {
  const unencoded = events.filter(({ encoded }) => encoded === undefined);
  const encoded = encodeEvents(usageEventsOf(unencoded));
  for (const [index, pending] of unencoded.entries()) pending.encoded = encoded[index];
  return events.map((pending) => pending.encoded as EncodedEvent);
}
