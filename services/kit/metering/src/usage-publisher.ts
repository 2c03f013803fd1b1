import type { Log } from "@tollgate/core/log";
import { Pauses } from "@tollgate/core/pauses";
import { repeat } from "@tollgate/core/repeat";
import { isTracing } from "@tollgate/core/tracing";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Client } from "@tollgate/rpc/implementation";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { createBrokerPublish } from "./broker/publish-usage.ts";
import { tracePublish } from "./broker/traced-messages.ts";
import type { UsageBroker } from "./broker/usage-broker.ts";
import type { EventLog } from "./outbox/event-log.ts";
import { createOutbox, type Outbox } from "./outbox/outbox.ts";

const ledgerTimeoutMs = 5_000;
const reconcileEveryMs = 500;
const reconcileWhileStoppingEveryMs = 50;
/** How long `stop` waits for the ledger to confirm the events that only the broker must deliver. */
const confirmTimeoutMs = 5_000;

export interface Publisher {
  /**
   * Resolves when the event is durable, that is, survives this process: the ledger has committed
   * it, or it is on disk and, if a broker is connected, the broker has acknowledged it. The
   * publisher retains the event until the ledger has it. The ledger receives each event at least
   * once, and ignores repetitions.
   */
  publish(event: UsageEvent): Promise<void>;
  /** Waits at most `graceMs` until the ledger has all events. The others stay on disk. */
  stop(graceMs: number): Promise<void>;
}

export interface PublisherParts {
  /** Undefined where events go to the ledger directly. */
  usageBroker: UsageBroker | undefined;
  ledger: Client<typeof LedgerService>;
  eventLog: EventLog;
  log: Log;
  metrics: Metrics;
  /** How long after the broker's acknowledgement an event that the ledger lacks counts as lost. */
  missingAfterMs: number;
}

/**
 * Creates the publisher of a process. An event takes one of three paths to the ledger:
 *
 * 1. It is written to disk and published to the broker, from which the ledger consumes it. From a
 *    second later, the publisher looks it up in the ledger. Once found, it is removed from disk.
 * 2. Without a broker, or when the broker does not acknowledge it, it is written to disk and sent
 *    to the ledger directly.
 * 3. An event that the ledger still lacks `missingAfterMs` after the broker's acknowledgement is
 *    sent to the ledger directly: a broker can lose what it acknowledged. An event that neither
 *    accepted is sent again, with backoff, until one does; so are the events that earlier
 *    processes left on disk.
 *
 * `createOutbox` implements this; the publisher connects it to the broker and the ledger.
 */
export function createPublisher(parts: PublisherParts): Publisher {
  const { usageBroker, ledger, eventLog, log, metrics } = parts;
  const publish = tracePublish(createBrokerPublish(usageBroker, log));
  const outbox = createOutbox(
    {
      brokerIsUp: () => usageBroker?.broker.connection() !== undefined,
      async publishToBroker(events) {
        const isAcknowledged = await publish(events);
        if (isAcknowledged) metrics.usageEvents.inc({ sink: "broker" }, events.length);
        return isAcknowledged;
      },
      async recordInLedger(events) {
        await ledger.recordUsage({ events: [...events] }, { timeoutMs: ledgerTimeoutMs });
        metrics.usageEvents.inc({ sink: "ledger" }, events.length);
      },
      async findMissing(eventIds) {
        const request = { eventIds: [...eventIds] };
        const response = await ledger.confirmUsage(request, { timeoutMs: ledgerTimeoutMs });
        return new Set(response.missingEventIds);
      },
      eventLog,
      log,
      metrics,
    },
    // A call and a message belong to one trace.
    { missingAfterMs: parts.missingAfterMs, gathers: !isTracing() },
  );
  for (const event of eventLog.recovered) outbox.recover(event);
  const reconciliation = startReconciling(outbox);
  return {
    publish: outbox.send,
    async stop(graceMs) {
      reconciliation.prepareStop();
      const confirmedUntilMs = performance.now() + confirmTimeoutMs;
      const pauses = new Pauses({ firstMs: reconcileWhileStoppingEveryMs, forMs: graceMs });
      while (outbox.size() > 0 && (await pauses.next())) {
        if (outbox.unsent() === 0 && performance.now() > confirmedUntilMs) break;
      }
      await reconciliation.stop();
      // Events that were sent in this turn of the event loop are written to disk at its end.
      await new Promise((resolve) => setImmediate(resolve));
      await eventLog.close();
    },
  };
}

/** Reconciles the outbox with the ledger again and again, one call at a time. */
function startReconciling(outbox: Outbox) {
  let isStopping = false;
  const reconciliation = repeat(() => outbox.reconcile(isStopping), {
    everyMs: () => (isStopping ? reconcileWhileStoppingEveryMs : reconcileEveryMs),
  });
  reconciliation.wake();
  return {
    prepareStop() {
      isStopping = true;
      reconciliation.wake();
    },
    stop: () => reconciliation.stop(),
  };
}
