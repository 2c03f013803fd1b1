import { createBatch } from "@tollgate/core/batch";
import { minOf } from "@tollgate/core/money";
import type {
  EndSlotUseRequest,
  SlotService,
  TakeSlotUseRequest,
} from "@tollgate/proto/tollgate/v1/slot";
import type { Implementation } from "@tollgate/rpc/implementation";
import { isStatementFault } from "@tollgate/runtime/database/pool";
import type pg from "pg";

/** After this, a call whose process died no longer counts as in progress. */
const leaseMs = 30_000;
/** More tokens or requests than any limit counts. The sums of a minute fit. */
const mostCounted = 10n ** 12n;
const batchLimit = 512;

/**
 * The calls of SlotService that count the calls of slots with limits, over all replicas. Each replica of the
 * ledger runs one statement at a time, so that a slot which many call takes no connection from holds. See
 * sql/slots/take_slot_uses.sql.
 */
export function createSlotUses(pool: pg.Pool) {
  const isolates = isStatementFault;
  const take = createBatch<TakeSlotUseRequest, number>({
    run: (calls) => takeSlotUses(pool, calls),
    limit: batchLimit,
    isolates,
  });
  const end = createBatch<EndSlotUseRequest, undefined>({
    run: (calls) => endSlotUses(pool, calls),
    limit: batchLimit,
    isolates,
  });
  return {
    async takeSlotUse(request) {
      return { waitMs: await take(request), expiresInMs: leaseMs };
    },
    async extendSlotUses({ useIds }) {
      await pool.query({
        name: "extend-slot-uses",
        text: "SELECT extend_slot_uses($1, $2)",
        values: [useIds, leaseMs],
      });
      return {};
    },
    async endSlotUse(request) {
      await end(request);
      return {};
    },
  } satisfies Partial<Implementation<typeof SlotService>>;
}

/** Deletes the calls that have expired. Every replica may run it at the same time. */
export async function forgetSlotUses(pool: pg.Pool): Promise<void> {
  await pool.query({ name: "forget-slot-uses", text: "SELECT forget_slot_uses()" });
}

async function takeSlotUses(pool: pg.Pool, calls: readonly TakeSlotUseRequest[]) {
  const { rows } = await pool.query<{ waits: bigint[] }>({
    name: "take-slot-uses",
    text: "SELECT take_slot_uses($1, $2, $3, $4, $5, $6, $7, $8) AS waits",
    values: [
      calls.map(({ useId }) => useId),
      calls.map(({ slotId }) => slotId),
      calls.map(({ accountId }) => accountId),
      calls.map(({ tokens }) => counted(tokens)),
      calls.map(({ requestsPerMinute }) => counted(requestsPerMinute)),
      calls.map(({ tokensPerMinute }) => counted(tokensPerMinute)),
      calls.map(({ parallel }) => counted(parallel)),
      leaseMs,
    ],
  });
  return (rows[0]?.waits ?? []).map(Number);
}

async function endSlotUses(pool: pg.Pool, calls: readonly EndSlotUseRequest[]) {
  await pool.query({
    name: "end-slot-uses",
    text: "SELECT end_slot_uses($1, $2)",
    values: [calls.map(({ useId }) => useId), calls.map(({ tokens }) => counted(tokens))],
  });
  return calls.map(() => undefined);
}

function counted<Count extends bigint | undefined>(count: Count): bigint | undefined {
  return count === undefined ? undefined : minOf(count, mostCounted);
}
