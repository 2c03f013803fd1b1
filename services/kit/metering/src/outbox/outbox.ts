import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { createSignal } from "@tollgate/core/signal";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { EncodedEvent } from "./encoded-event.ts";
import type { EventLog } from "./event-log.ts";
import {
  createPendingEvents,
  encodedOf,
  idsOf,
  isDurable,
  type PendingEvent,
  usageEventsOf,
} from "./pending-events.ts";
import { createTickBatch } from "./tick-batch.ts";

/**
 * How long to wait before looking up a published event: the ledger commits most within
 * milliseconds.
 */
const confirmAfterMs = 1_000;
/**
 * While this many events or fewer are on disk, `send` does not wait for the ledger to commit an
 * event that the broker did not accept. Beyond, it does, so that events do not pile up on disk
 * while the ledger is slow.
 */
const maxUnawaited = 512;
/**
 * While the process stops: once it has ended, an event that only the broker has cannot be resent.
 */
const missingWhileStoppingAfterMs = 2_000;
/** Event ids in one confirmUsage call. */
const confirmLimit = 5_000;
/** Events in one message or call. An event has some 300 bytes, a NATS message at most 1 MB. */
const deliverLimit = 250;
const firstRetryMs = 200;
const maxRetryMs = 5_000;

/** Where the outbox sends events, and where it stores them meanwhile. */
export interface Sinks {
  brokerIsUp(): boolean;
  /** Resolves with whether the broker has acknowledged all events. Never rejects. */
  publishToBroker(events: readonly EncodedEvent[]): Promise<boolean>;
  /** Resolves when the ledger has committed all events. */
  recordInLedger(events: readonly UsageEvent[]): Promise<void>;
  /** Resolves with the ids that the ledger does not have. */
  findMissing(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  eventLog: Pick<EventLog, "append" | "remove">;
  log: Log;
  metrics: Pick<Metrics, "usageEventsPending">;
}

/** Events that the ledger is not yet known to have. */
export interface Outbox {
  /** Sends an event, and resolves when it survives this process; see `Publisher.publish`. */
  send(event: UsageEvent): Promise<void>;
  /** Adds an event that an earlier process left on disk. The next `reconcile` delivers it. */
  recover(event: UsageEvent): void;
  /**
   * Looks up which of the published events the ledger has, and removes those. Delivers the events
   * that the ledger lacks for too long after the broker's acknowledgement, and those that neither
   * accepted. Never rejects: after a failure, calls do nothing until a backoff is over. While the
   * process `isStopping`, there is no backoff, and a published event counts as lost sooner.
   */
  reconcile(isStopping: boolean): Promise<void>;
  size(): number;
  /** Returns how many events neither the broker nor the ledger is known to have. */
  unsent(): number;
}

export interface OutboxSettings {
  /** How long after the broker's acknowledgement an event that the ledger lacks counts as lost. */
  missingAfterMs: number;
  /** Whether the events of one turn of the event loop are sent together. */
  gathers: boolean;
}

/**
 * Creates the outbox of a process. `createPublisher` describes the paths of an event.
 *
 * Longer than 70 lines: its functions share the state of one outbox.
 */
export function createOutbox(sinks: Sinks, { missingAfterMs, gathers }: OutboxSettings): Outbox {
  const { publishToBroker, recordInLedger, findMissing, log } = sinks;
  const pending = createPendingEvents(sinks);
  const backoff = createBackoff();
  const sendOne = gathers
    ? createTickBatch(sendAll, deliverLimit)
    : (event: PendingEvent) => sendAll([event]);

  /** First attempt: the broker, or else the ledger. The disk write overlaps with the call. */
  async function sendAll(events: readonly PendingEvent[]): Promise<FirstAttempt> {
    if (sinks.brokerIsUp()) {
      const publishing = publishToBroker(encodedOf(events));
      pending.persist(events);
      if (await publishing) {
        pending.markPublished(events);
        return { isBacklogged: false };
      }
    }
    const recording = recordDirectly(events);
    const isBacklogged = pending.onDisk() > maxUnawaited;
    pending.persist(events.slice(0, Math.max(0, maxUnawaited - pending.onDisk())));
    return { isBacklogged, recording };
  }

  /** Sends events to the ledger that the broker did not accept. Resolves also when that fails. */
  async function recordDirectly(events: readonly PendingEvent[]): Promise<void> {
    try {
      await recordInLedger(usageEventsOf(events));
      pending.removeRecorded(events);
    } catch (error) {
      if (mayBlameOne(error, events)) {
        await Promise.all(events.map((event) => recordDirectly([event])));
        return;
      }
      const fields = { err: error, event_ids: idsOf(events) };
      log.error(fields, "usage events not delivered yet");
      pending.persist(events);
      for (const event of events) event.state = "unsent";
    }
  }

  /** Removes the published events that the ledger has, and marks those that count as lost. */
  async function confirm(events: readonly PendingEvent[], lostAfterMs: number): Promise<void> {
    const missing = await findMissing(idsOf(events));
    const now = performance.now();
    pending.removeRecorded(events.filter(({ event }) => !missing.has(event.id)));
    for (const one of events) {
      if (missing.has(one.event.id) && now - one.sinceMs > lostAfterMs) one.state = "unsent";
    }
  }

  /** Delivers unsent events: to the ledger or, when it fails, to the broker. */
  async function deliver(events: readonly PendingEvent[]): Promise<void> {
    try {
      await recordInLedger(usageEventsOf(events));
      pending.removeRecorded(events);
    } catch (error) {
      if (mayBlameOne(error, events)) {
        for (const event of events) await deliver([event]).catch(() => {});
        return;
      }
      if (!(await publishToBroker(encodedOf(events)))) throw error;
      pending.markPublished(events);
    }
  }

  return {
    async send(event) {
      const sent = pending.add(event, "sending", false);
      const { isBacklogged, recording } = await sendOne(sent);
      if (!sent.isOnDisk || isBacklogged) await recording;
      if (isDurable(sent)) return;
      // The disk, the broker and the ledger have all failed: a later `reconcile` delivers it.
      sent.delivered = createSignal();
      await sent.delivered.wait();
    },
    recover: (event) => void pending.add(event, "unsent", true),
    async reconcile(isStopping) {
      if (!isStopping && !backoff.isOver()) return;
      const lostAfterMs = isStopping
        ? Math.min(missingWhileStoppingAfterMs, missingAfterMs)
        : missingAfterMs;
      try {
        const published = pending.inState("published", isStopping ? 0 : confirmAfterMs);
        await inParts(published, confirmLimit, (part) => confirm(part, lostAfterMs));
        await inParts(pending.inState("unsent", 0), deliverLimit, deliver);
        backoff.reset();
      } catch (error) {
        backoff.extend();
        const reason = (error as Error).message;
        log.warn(
          { events: pending.size(), reason },
          "usage events not delivered to the ledger yet",
        );
      }
    },
    size: pending.size,
    unsent: pending.unsent,
  };
}

interface FirstAttempt {
  /** Whether `send` must wait for `recording` although the event is on disk. */
  isBacklogged: boolean;
  /** Resolves when the ledger has the events or has failed; undefined when the broker has them. */
  recording?: Promise<void>;
}

/** Returns whether one event may be to blame for an error, and the others may succeed alone. */
function mayBlameOne(error: unknown, { length }: readonly PendingEvent[]): boolean {
  return error instanceof GatewayError && length > 1;
}

async function inParts<Item>(
  items: readonly Item[],
  limit: number,
  work: (part: readonly Item[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += limit) {
    await work(items.slice(start, start + limit));
  }
}

function createBackoff() {
  let pauseMs = 0;
  let untilMs = 0;
  return {
    isOver: () => performance.now() >= untilMs,
    reset() {
      pauseMs = 0;
    },
    extend() {
      pauseMs = Math.min(Math.max(pauseMs * 2, firstRetryMs), maxRetryMs);
      untilMs = performance.now() + pauseMs;
    },
  };
}
