import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@tollgate/core/log";
import type { Tracer } from "@tollgate/core/tracing/tracer";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Client } from "@tollgate/rpc/implementation";
import type { Broker } from "@tollgate/runtime/broker/connection";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { createBrokerPublish } from "./broker/publish-usage.ts";
import { tracePublish } from "./broker/traced-messages.ts";
import type { EventLog } from "./outbox/event-log.ts";
import { createOutbox, type Outbox } from "./outbox/outbox.ts";

const ledgerTimeoutMs = 5_000;
const roundEveryMs = 500;
const roundWhileStoppingMs = 50;
/** How long a stopping publisher waits for the ledger to confirm what the broker has. */
const confirmPatienceMs = 5_000;

export interface Publisher {
  /**
   * Resolves once the event is safe: with the ledger, or on disk and, where there is one that is
   * up, with the broker. The publisher keeps it until the ledger is known to have it. The same
   * event may be delivered twice, never less than once.
   */
  publish(event: UsageEvent): Promise<void>;
  /** Waits for the events still on their way, `graceMs` at most; the rest stays on disk. */
  stop(graceMs: number): Promise<void>;
}

export interface PublisherParts {
  broker: Broker | undefined;
  ledger: Client<typeof LedgerService>;
  eventLog: EventLog;
  log: Log;
  metrics: Metrics;
  tracer?: Tracer | undefined;
  /** After so long the ledger is handed what it still lacks of the broker's. */
  missingAfterMs: number;
}

/**
 * Publishes usage events to the broker, and past it to the ledger when the broker is away or there
 * is none. A broker can lose what it acknowledged, so the ledger is asked what it has, and handed
 * what it lacks. An event that nobody takes stays on disk and is tried again until somebody does.
 */
export function createPublisher(parts: PublisherParts): Publisher {
  const { broker, ledger, eventLog, log, metrics, tracer } = parts;
  const plain = createBrokerPublish(broker, log);
  const publish = tracer === undefined ? plain : tracePublish(plain, tracer);
  const outbox = createOutbox(
    {
      brokerIsUp: () => broker?.connection() !== undefined,
      async toBroker(events) {
        const taken = await publish(events);
        if (taken) metrics.usageEvents.inc({ way: "broker" }, events.length);
        return taken;
      },
      async toLedger(events) {
        await ledger.recordUsage({ events: [...events] }, { timeoutMs: ledgerTimeoutMs });
        metrics.usageEvents.inc({ way: "ledger" }, events.length);
      },
      async missing(eventIds) {
        const request = { eventIds: [...eventIds] };
        const answer = await ledger.confirmUsage(request, { timeoutMs: ledgerTimeoutMs });
        return new Set(answer.missingEventIds);
      },
      eventLog,
      log,
      metrics,
    },
    // A call and a message belong to one trace.
    { missingAfterMs: parts.missingAfterMs, gathers: tracer === undefined },
  );
  for (const event of eventLog.recovered) outbox.takeOver(event);
  const rounds = startRounds(outbox);
  return {
    publish: outbox.send,
    async stop(graceMs) {
      rounds.hurry();
      const startedAt = performance.now();
      const elapsed = () => performance.now() - startedAt;
      while (outbox.size() > 0 && elapsed() < graceMs) {
        if (outbox.unsent() === 0 && elapsed() > confirmPatienceMs) break;
        await sleep(roundWhileStoppingMs);
      }
      await rounds.stop();
      // What is gathered in this turn is kept at its end.
      await new Promise((resolve) => setImmediate(resolve));
      await eventLog.close();
    },
  };
}

/** Looks after what is on its way, one round at a time. */
function startRounds(outbox: Outbox) {
  let hurried = false;
  let stopped = false;
  let wake = () => {};
  async function run(): Promise<void> {
    while (!stopped) {
      await outbox.look(hurried);
      const pause = Promise.withResolvers<void>();
      const timer = setTimeout(pause.resolve, hurried ? roundWhileStoppingMs : roundEveryMs);
      wake = pause.resolve;
      timer.unref();
      await pause.promise;
      clearTimeout(timer);
    }
  }
  const finished = run();
  return {
    hurry() {
      hurried = true;
      wake();
    },
    async stop() {
      stopped = true;
      wake();
      await finished;
    },
  };
}
