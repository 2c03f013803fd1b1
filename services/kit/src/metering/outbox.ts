import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../operations/metrics.ts";
import { createRoster, type Listed } from "../roster.ts";
import { type EncodedEvent, encodeEvent } from "./encoded-event.ts";
import type { Spool } from "./spool.ts";

/** The ledger commits what the broker has within milliseconds; before this nobody asks. */
const confirmAfterMs = 1_000;
/**
 * Up to so many are on disk alone, and no answer waits for the ledger's commit. Of more, each does, so
 * that none pile up where the ledger is slow.
 */
const fewWaiting = 512;
/** What a process that ends leaves with the broker alone, nobody would look after. */
const hurriedMissingMs = 2_000;
const confirmLimit = 5_000;
const deliverLimit = 250;
const firstRetryMs = 200;
const longestRetryMs = 5_000;

/** The ways that an event can go, and where it waits. */
export interface Ways {
  /** Whether there is a broker to try. */
  brokerIsUp(): boolean;
  /** Whether the broker has it now. Never raises. */
  toBroker(event: EncodedEvent): Promise<boolean>;
  /** Resolves once the ledger has committed them all. */
  toLedger(events: readonly UsageEvent[]): Promise<void>;
  /** Which of them the ledger does not have. */
  missing(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  spool: Pick<Spool, "keep" | "forget">;
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

interface Waiting extends Listed {
  event: UsageEvent;
  /** Made when it is first needed. */
  encoded: EncodedEvent | undefined;
  /** `sending`: somebody awaits `send`. `brokered`: the broker has it. `unsent`: only we have it. */
  state: "sending" | "brokered" | "unsent";
  since: number;
  onDisk: boolean;
  /** Resolves once the ledger or the broker has it. */
  delivered: PromiseWithResolvers<void>;
}

export function createOutbox(ways: Ways, missingAfterMs: number): Outbox {
  const { toBroker, toLedger, missing, spool, log, metrics } = ways;
  const waiting = createRoster<Waiting>();
  const backoff = createBackoff();

  function open(event: UsageEvent, state: Waiting["state"], onDisk: boolean): Waiting {
    const delivered = Promise.withResolvers<void>();
    const since = performance.now();
    const one = { event, encoded: undefined, state, since, onDisk, delivered, place: -1 };
    waiting.add(one);
    metrics.usageEventsWaiting.inc();
    return one;
  }

  function brokered(one: Waiting): void {
    one.state = "brokered";
    one.since = performance.now();
    one.delivered.resolve();
  }

  function recorded(one: Waiting): void {
    waiting.remove(one);
    metrics.usageEventsWaiting.dec();
    one.delivered.resolve();
    if (one.onDisk) spool.forget(one.event.id);
  }

  const keep = (one: Waiting) => keepOnDisk(one, ways);

  /** Hands over what somebody awaits. Resolves once it is safe. */
  async function hand(one: Waiting): Promise<void> {
    try {
      await toLedger([one.event]);
      recorded(one);
    } catch (error) {
      log.error({ err: error, event: one.event.id }, "usage event could not be delivered yet");
      await keep(one);
      one.state = "unsent";
      if (!one.onDisk) await one.delivered.promise;
    }
  }

  async function confirm(ones: readonly Waiting[], missedAfterMs: number): Promise<void> {
    const lacking = await missing(ones.map(({ event }) => event.id));
    const now = performance.now();
    for (const one of ones) {
      if (!lacking.has(one.event.id)) recorded(one);
      else if (now - one.since > missedAfterMs) one.state = "unsent";
    }
  }

  async function deliver(ones: readonly Waiting[]): Promise<void> {
    try {
      await toLedger(ones.map(({ event }) => event));
      for (const one of ones) recorded(one);
    } catch (error) {
      // One event that the ledger refuses must not keep the others back.
      if (error instanceof GatewayError && ones.length > 1) {
        for (const one of ones) await deliver([one]).catch(() => {});
        return;
      }
      await Promise.all(ones.map(async (one) => (await toBroker(encodedOf(one))) && brokered(one)));
      if (ones.some(({ state }) => state === "unsent")) throw error;
    }
  }

  function due(state: Waiting["state"], settledMs: number): Waiting[] {
    const before = performance.now() - settledMs;
    return waiting.filter((one) => one.state === state && one.since <= before);
  }

  return {
    async send(event) {
      const one = open(event, "sending", false);
      if (ways.brokerIsUp()) {
        const [taken] = await Promise.all([toBroker(encodedOf(one)), keep(one)]);
        if (taken) return brokered(one);
      }
      const handed = hand(one);
      if (waiting.size() > fewWaiting) return handed;
      const onDisk = keep(one).then(() => (one.onDisk ? undefined : handed));
      await Promise.race([handed, onDisk]);
    },
    takeOver: (event) => void open(event, "unsent", true),
    async look(hurried) {
      if (!hurried && !backoff.isOver()) return;
      try {
        const missedAfterMs = hurried ? Math.min(hurriedMissingMs, missingAfterMs) : missingAfterMs;
        const settled = due("brokered", hurried ? 0 : confirmAfterMs);
        await inParts(settled, confirmLimit, (part) => confirm(part, missedAfterMs));
        await inParts(due("unsent", 0), deliverLimit, deliver);
        backoff.reset();
      } catch (error) {
        backoff.extend();
        const reason = (error as Error).message;
        log.warn({ events: waiting.size(), reason }, "usage events wait for the ledger");
      }
    },
    size: waiting.size,
    unsent: () => waiting.filter(({ state }) => state !== "brokered").length,
  };
}

function encodedOf(one: Waiting): EncodedEvent {
  one.encoded ??= encodeEvent(one.event);
  return one.encoded;
}

async function keepOnDisk(one: Waiting, { spool, log }: Ways): Promise<void> {
  if (one.onDisk) return;
  try {
    await spool.keep(encodedOf(one));
    one.onDisk = true;
    // The ledger may have been the quicker one.
    if (one.place < 0) spool.forget(one.event.id);
  } catch (error) {
    const reason = (error as Error).message;
    log.error({ event: one.event.id, reason }, "the spool could not be written");
  }
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
