import { setTimeout as sleep } from "node:timers/promises";
import { toBinary } from "@bufbuild/protobuf";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import type { Broker } from "../broker/connection.ts";
import { usageSubject } from "../broker/usage-stream.ts";
import type { Log } from "../log.ts";
import type { Client } from "../rpc/implementation.ts";

const brokerTimeoutMs = 2_000;
const ledgerTimeoutMs = 5_000;
const firstRetryMs = 200;
const longestRetryMs = 5_000;
/** How long an answer waits for its event to be safe before it goes out all the same. */
const patienceMs = 8_000;

export interface Publisher {
  /**
   * Resolves once the event is safe with the broker or the ledger, or once patience ends: then
   * delivery goes on behind the answer. The same event may be delivered twice, never less than once.
   */
  publish(event: UsageEvent): Promise<void>;
  /** Waits for the events still on their way, `graceMs` at most. */
  drain(graceMs: number): Promise<void>;
}

/**
 * Publishes usage events to the broker, and past it to the ledger when the broker is away or there
 * is none. An event that neither takes is tried again until one does.
 */
export function createPublisher(
  broker: Broker | undefined,
  ledger: Client<typeof LedgerService>,
  log: Log,
): Publisher {
  const underWay = new Set<Promise<void>>();

  async function deliver(event: UsageEvent): Promise<void> {
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, longestRetryMs)) {
      if (await toBroker(broker, event, log)) return;
      try {
        await ledger.recordUsage({ events: [event] }, { timeoutMs: ledgerTimeoutMs });
        return;
      } catch (error) {
        log.error({ err: error, event: event.id }, "usage event could not be delivered yet");
      }
      await sleep(retryMs);
    }
  }

  return {
    async publish(event) {
      const delivery = deliver(event);
      underWay.add(delivery);
      void delivery.finally(() => underWay.delete(delivery));
      await withPatience(delivery, patienceMs);
    },
    drain: (graceMs) => withPatience(Promise.all(underWay), graceMs),
  };
}

async function toBroker(broker: Broker | undefined, event: UsageEvent, log: Log): Promise<boolean> {
  const connection = broker?.connection();
  if (connection === undefined) return false;
  try {
    const payload = toBinary(UsageEventSchema, event);
    const options = { msgID: event.id, timeout: brokerTimeoutMs };
    await connection.jetstream().publish(usageSubject, payload, options);
    return true;
  } catch (error) {
    log.warn(
      { event: event.id, reason: (error as Error).message },
      "broker did not take the event",
    );
    return false;
  }
}

async function withPatience(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, patience]).finally(() => clearTimeout(timer));
}
