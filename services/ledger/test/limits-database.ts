import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type BudgetPeriod, type Limits, LimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import pg from "pg";
import { listLimits, setLimits } from "../src/limits.ts";

/** Returns a budget of an amount in nano-USD. */
export function budget(amountNanoUsd: bigint, period: BudgetPeriod) {
  return { budget: { amountNanoUsd, period } };
}

/** Sets the limits of a key or, by default, of the account. */
export function limit(
  pool: pg.Pool,
  accountId: string,
  limits: MessageInitShape<typeof LimitsSchema>,
  ownerId = accountId,
) {
  return setLimits(pool, { accountId, ownerId, limits: create(LimitsSchema, limits) as Limits });
}

/** Resolves with how much of an owner's limits is used. Throws if it has none. */
export async function readUse(pool: pg.Pool, ownerId: string) {
  const [use] = await listLimits(pool, [ownerId]);
  if (use === undefined) throw new Error(`${ownerId} has no limits`);
  const { spentNanoUsd, heldNanoUsd, requests, tokens, inProgress } = use;
  return { spentNanoUsd, heldNanoUsd, requests, tokens, inProgress };
}

/** A ledger whose clock the test sets. */
export interface TimedLedger {
  pool: pg.Pool;
  /** Sets what now() returns in all statements from then on. */
  setTime(at: string | Date): Promise<void>;
}

/**
 * Opens connections to a ledger's database in which now() returns the time that the test has set: a
 * function of the ledger's schema precedes that of Postgres in their search path.
 */
export async function openTimed(url: string): Promise<TimedLedger> {
  const types = {
    getTypeParser: (oid: number, format?: "text" | "binary") =>
      oid === 20 && format !== "binary" ? BigInt : pg.types.getTypeParser(oid, format),
  };
  const options = "-c search_path=ledger,pg_catalog";
  const pool = new pg.Pool({ connectionString: url, options, max: 8, types });
  await pool.query(`
    CREATE TABLE test_time (at timestamptz NOT NULL);
    INSERT INTO test_time VALUES (pg_catalog.now());
    CREATE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE AS
      'SELECT at FROM ledger.test_time';
    ALTER TABLE entry ALTER COLUMN recorded_at SET DEFAULT ledger.now()`);
  return {
    pool,
    async setTime(at) {
      await pool.query("UPDATE test_time SET at = $1", [at]);
    },
  };
}
