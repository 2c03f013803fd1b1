import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { EncodedEvent } from "./encoded-event.ts";
import type { EventLog } from "./event-log.ts";
import {
  createWaitingEvents,
  encodedOf,
  eventsOf,
  idsOf,
  isSafe,
  type WaitingEvent,
} from "./pending-events.ts";
import { createTurnBatch } from "./tick-batch.ts";

/** The ledger commits what the broker has within milliseconds; before this nobody asks. */
const confirmAfterMs = 1_000;
/**
 * Up to so many are on disk alone, and no answer waits for the ledger's commit. Of more, each does,
 * so that none pile up where the ledger is slow.
 */
const fewWaiting = 512;
/** What a process that ends leaves with the broker alone, nobody would look after. */
const hurriedMissingMs = 2_000;
const confirmLimit = 5_000;
/** An event has some 300 bytes, and a message of NATS at most a megabyte. */
const deliverLimit = 250;
const firstRetryMs = 200;
const longestRetryMs = 5_000;

/** The ways that an event can go, and where it waits. */
export interface Ways {
  /** Whether there is a broker to try. */
  brokerIsUp(): boolean;
  /** Whether the broker has them all now. Never raises. */
  toBroker(events: readonly EncodedEvent[]): Promise<boolean>;
  /** Resolves once the ledger has committed them all. */
  toLedger(events: readonly UsageEvent[]): Promise<void>;
  /** Which of them the ledger does not have. */
  missing(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  eventLog: Pick<EventLog, "append" | "remove">;
  log: Log;
  metrics: Pick<Metrics, "usageEventsWaiting">;
}

/** Events that the ledger is not yet known to have. */
export interface Outbox {
  /** Sends an event, and resolves once it is safe; see `Publisher.publish`. */
  send(event: UsageEvent): Promise<void>;
  /** Takes over an event that is on disk already. */
  takeOver(event: UsageEvent): void;
  /**
   * Asks the ledger for what the broker has, and delivers what nobody has. Never raises. When
   * `hurried`, what the ledger lacks is soon taken for lost, and nothing else is waited for.
   */
  look(hurried: boolean): Promise<void>;
  size(): number;
  /** How many are with nobody but us. */
  unsent(): number;
}

export interface OutboxSettings {
  missingAfterMs: number;
  /** What is sent in one turn of the event loop goes together. */
  gathers: boolean;
}

export function createOutbox(ways: Ways, { missingAfterMs, gathers }: OutboxSettings): Outbox {
  const { toBroker, toLedger, missing, log } = ways;
  const waiting = createWaitingEvents(ways);
  const backoff = createBackoff();
  const sendOne = gathers
    ? createTurnBatch(sendAll, deliverLimit)
    : (one: WaitingEvent) => sendAll([one]);

  /**
   * Where the broker does not take them, answers when the ledger has them, or failed to take them.
   */
  async function sendAll(ones: readonly WaitingEvent[]): Promise<Sent> {
    if (ways.brokerIsUp()) {
      const asked = toBroker(encodedOf(ones));
      waiting.keep(ones);
      if (await asked) {
        waiting.brokered(ones);
        return { isFew: true };
      }
    }
    const handed = hand(ones);
    const isFew = waiting.kept() <= fewWaiting;
    waiting.keep(ones.slice(0, Math.max(0, fewWaiting - waiting.kept())));
    return { isFew, handed };
  }

  /** Hands over what was just sent. Never raises. */
  async function hand(ones: readonly WaitingEvent[]): Promise<void> {
    try {
      await toLedger(eventsOf(ones));
      waiting.recorded(ones);
    } catch (error) {
      if (isForOne(error, ones)) {
        await Promise.all(ones.map((one) => hand([one])));
        return;
      }
      const fields = { err: error, event_ids: idsOf(ones) };
      log.error(fields, "usage events could not be delivered yet");
      waiting.keep(ones);
      for (const one of ones) one.state = "unsent";
    }
  }

  async function confirm(ones: readonly WaitingEvent[], missedAfterMs: number): Promise<void> {
    const lacking = await missing(idsOf(ones));
    const now = performance.now();
    waiting.recorded(ones.filter(({ event }) => !lacking.has(event.id)));
    for (const one of ones) {
      if (lacking.has(one.event.id) && now - one.since > missedAfterMs) one.state = "unsent";
    }
  }

  async function deliver(ones: readonly WaitingEvent[]): Promise<void> {
    try {
      await toLedger(eventsOf(ones));
      waiting.recorded(ones);
    } catch (error) {
      if (isForOne(error, ones)) {
        for (const one of ones) await deliver([one]).catch(() => {});
        return;
      }
      if (!(await toBroker(encodedOf(ones)))) throw error;
      waiting.brokered(ones);
    }
  }

  return {
    async send(event) {
      const one = waiting.add(event, "sending", false);
      const { isFew, handed } = await sendOne(one);
      if (!one.onDisk || !isFew) await handed;
      if (isSafe(one)) return;
      await new Promise<void>((resolve) => {
        one.delivered = resolve;
      });
    },
    takeOver: (event) => void waiting.add(event, "unsent", true),
    async look(hurried) {
      if (!hurried && !backoff.isOver()) return;
      try {
        const missedAfterMs = hurried ? Math.min(hurriedMissingMs, missingAfterMs) : missingAfterMs;
        const settled = waiting.in("brokered", hurried ? 0 : confirmAfterMs);
        await inParts(settled, confirmLimit, (part) => confirm(part, missedAfterMs));
        await inParts(waiting.in("unsent", 0), deliverLimit, deliver);
        backoff.reset();
      } catch (error) {
        backoff.extend();
        const reason = (error as Error).message;
        log.warn({ events: waiting.size(), reason }, "usage events wait for the ledger");
      }
    },
    size: waiting.size,
    unsent: waiting.unsent,
  };
}

interface Sent {
  /** Whether what is on disk need not wait for the ledger. */
  isFew: boolean;
  handed?: Promise<void>;
}

/** Whether one event may be to blame, which must not keep the others back. */
function isForOne(error: unknown, { length }: readonly WaitingEvent[]): boolean {
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
  let until = 0;
  return {
    isOver: () => performance.now() >= until,
    reset() {
      pauseMs = 0;
    },
    extend() {
      pauseMs = Math.min(Math.max(pauseMs * 2, firstRetryMs), longestRetryMs);
      until = performance.now() + pauseMs;
    },
  };
}
