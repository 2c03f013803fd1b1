import type { Log } from "@tollgate/core/log";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { type EncodedEvent, encodeEvents } from "./encoded-event.ts";
import type { EventLog } from "./event-log.ts";
import { createRoster, type Listed } from "./indexed-set.ts";

/** A usage event that the ledger is not yet known to have. */
export interface WaitingEvent extends Listed {
  event: UsageEvent;
  /** Made when it is first needed. */
  encoded: EncodedEvent | undefined;
  /**
   * `sending`: the broker or the ledger is being told. `brokered`: the broker has it. `unsent`:
   * only we have it.
   */
  state: "sending" | "brokered" | "unsent";
  /** Of `performance.now()`: when it came to us, or to the broker. */
  since: number;
  onDisk: boolean;
  /** Told once the ledger or the broker has it, where somebody waits for that. */
  delivered: (() => void) | undefined;
}

/** All of them, and where each one is. */
export interface WaitingEvents {
  add(event: UsageEvent, state: WaitingEvent["state"], onDisk: boolean): WaitingEvent;
  /**
   * Puts those on disk that are not there. Never raises: what the disk did not take stays off it.
   */
  keep(ones: readonly WaitingEvent[]): void;
  /** The broker has them. */
  brokered(ones: readonly WaitingEvent[]): void;
  /** The ledger has them. */
  recorded(ones: readonly WaitingEvent[]): void;
  /** Those that have been in a state for so long. */
  in(state: WaitingEvent["state"], sinceMs: number): WaitingEvent[];
  size(): number;
  /** How many are on disk. */
  kept(): number;
  /** How many are with nobody but us. */
  unsent(): number;
}

export function createWaitingEvents(parts: {
  eventLog: Pick<EventLog, "append" | "remove">;
  log: Log;
  metrics: Pick<Metrics, "usageEventsWaiting">;
}): WaitingEvents {
  const { eventLog, log, metrics } = parts;
  const roster = createRoster<WaitingEvent>();
  let kept = 0;
  return {
    add(event, state, onDisk) {
      const [encoded, delivered, since] = [undefined, undefined, performance.now()];
      const one = { event, encoded, state, since, onDisk, delivered, index: -1 };
      roster.add(one);
      if (onDisk) kept += 1;
      metrics.usageEventsWaiting.inc();
      return one;
    },
    keep(ones) {
      const others = ones.filter(({ onDisk }) => !onDisk);
      if (others.length === 0) return;
      try {
        eventLog.append(encodedOf(others));
        for (const one of others) one.onDisk = true;
        kept += others.length;
      } catch (error) {
        const reason = (error as Error).message;
        log.error(
          { event_ids: idsOf(others), reason },
          "usage events could not be written to disk",
        );
      }
    },
    brokered(ones) {
      const since = performance.now();
      for (const one of ones) {
        one.state = "brokered";
        one.since = since;
        one.delivered?.();
      }
    },
    recorded(ones) {
      for (const one of ones) {
        roster.remove(one);
        one.delivered?.();
        if (!one.onDisk) continue;
        eventLog.remove(one.event.id);
        kept -= 1;
      }
      metrics.usageEventsWaiting.dec(ones.length);
    },
    in(state, sinceMs) {
      const before = performance.now() - sinceMs;
      return roster.filter((one) => one.state === state && one.since <= before);
    },
    size: roster.size,
    kept: () => kept,
    unsent: () => roster.filter(({ state }) => state !== "brokered").length,
  };
}

/** Whether it outlives this process. */
export function isSafe({ state, onDisk, index }: WaitingEvent): boolean {
  return onDisk || state === "brokered" || index < 0;
}

export function idsOf(ones: readonly WaitingEvent[]): string[] {
  return ones.map(({ event }) => event.id);
}

export function eventsOf(ones: readonly WaitingEvent[]): UsageEvent[] {
  return ones.map(({ event }) => event);
}

export function encodedOf(ones: readonly WaitingEvent[]): EncodedEvent[] {
  const plain = ones.filter(({ encoded }) => encoded === undefined);
  const encoded = encodeEvents(eventsOf(plain));
  for (const [index, one] of plain.entries()) one.encoded = encoded[index];
  return ones.map((one) => one.encoded as EncodedEvent);
}
