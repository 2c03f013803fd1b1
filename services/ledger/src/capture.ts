import type { Batch } from "@tollgate/core/batch";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { isStatementFault } from "@tollgate/runtime/database/pool";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type pg from "pg";
import { otherIdsOf, toTrailJson } from "./request-trail.ts";
import { arrayLiteral } from "./row-literal.ts";
import { usageEventLiteral } from "./usage-fields.ts";
import { toLinesJson } from "./usage-lines.ts";
import { createWalletBatch, createWalletLocks } from "./wallet-locks.ts";

const batchLimit = 256;
/**
 * A statement costs as much as about fifteen of its rows, so a few large ones are better. No request
 * waits for the timer: a reader of the ledger and a hold that lacks money flush the batch. There are
 * fewer items than the consumer's 200 messages in progress, which may have one event each, and than
 * the 250 events that an outbox sends at once. Otherwise each of these would wait for the timer.
 */
const gather = { items: 192, ms: 100 };

/** The broker and the services send an event again when its capture takes longer. */
const maxWaitMs = 15_000;

export type CaptureBatch = Batch<UsageEvent, void>;

/**
 * Creates a function that captures usage events, many in one statement. It resolves once the
 * event's entry is committed, also if an earlier delivery of the event committed it. Events of a
 * wallet that is locked wait 15 seconds at most, and delay no others.
 */
export function createCapture(
  pool: pg.Pool,
  metrics?: Pick<Metrics, "uncollected">,
  locks = createWalletLocks(pool),
): CaptureBatch {
  return createWalletBatch<UsageEvent, void>({
    locks,
    accountOf: (event) => event.accountId,
    run: async (events) => {
      const uncollected = await captureBatch(pool, events);
      if (uncollected > 0n) metrics?.uncollected.inc(Number(uncollected));
      return events.map(() => undefined);
    },
    limit: batchLimit,
    gather,
    isolates: isStatementFault,
    maxWaitMs,
  });
}

/** Calls `capture_usage`. Resolves with what the events leave uncollected, nano-USD. */
async function captureBatch(pool: pg.Pool, events: readonly UsageEvent[]): Promise<bigint> {
  const { rows } = await pool.query<{ uncollected: bigint }>({
    name: "capture-usage",
    text: `SELECT capture_usage($1::usage_event[], $2::json[], $3::text[], $4::json[], $5::text[])
      AS uncollected`,
    values: [
      arrayLiteral(events.map(usageEventLiteral)),
      arrayLiteral(events.map(({ lines }) => toLinesJson(lines))),
      arrayLiteral(events.map(({ providerUsage }) => providerUsage || null)),
      arrayLiteral(events.map(({ trail }) => (trail === undefined ? null : toTrailJson(trail)))),
      arrayLiteral(
        events.map(({ requestId, trail }) =>
          trail === undefined ? null : otherIdsOf(requestId, trail),
        ),
      ),
    ],
  });
  return rows[0]?.uncollected ?? 0n;
}
