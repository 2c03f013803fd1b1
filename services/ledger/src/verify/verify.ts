import type pg from "pg";
import { verifyEntries } from "./entries.ts";
import { verifyLimits } from "./limits.ts";
import { verifyRecords } from "./records.ts";
import { verifyReversals } from "./reversals.ts";
import { verifySums } from "./sums.ts";
import { readMonths, type VerificationRun } from "./verification-run.ts";
import { verifyWallets } from "./wallets.ts";

export interface Verification {
  wallets: bigint;
  /** Of the attached months. */
  entries: bigint;
  /** Of requests. */
  openHolds: bigint;
  /** The open holds of jobs. */
  jobHolds: bigint;
  /** The months whose entries are detached, as `2026-11`. */
  detachedMonths: string[];
  /** One line for each discrepancy. */
  discrepancies: string[];
}

/**
 * Compares the ledger's tables with each other, and resolves with the discrepancies. It can run at
 * any time: each statement reads a small part, in a snapshot of its own, and locks nothing that a
 * capture waits for. What it compares in one statement is changed in one transaction, so that
 * captures during the verification are no discrepancies.
 */
export async function verifyLedger(
  pool: pg.Pool,
  signal: AbortSignal = new AbortController().signal,
): Promise<Verification> {
  const run: VerificationRun = {
    pool,
    signal,
    discrepancies: [],
    months: await readMonths(pool),
  };
  await verifyWallets(run);
  await verifyReversals(run);
  await verifyLimits(run);
  await verifySums(run);
  await verifyRecords(run);
  const entries = await verifyEntries(run);
  const { rows } = await pool.query<{ wallets: bigint; holds: bigint; jobs: bigint }>(
    `SELECT (SELECT count(*) FROM wallet) AS wallets,
       count(*) FILTER (WHERE job_id = '') AS holds, count(*) FILTER (WHERE job_id <> '') AS jobs
     FROM hold`,
  );
  return {
    wallets: rows[0]?.wallets ?? 0n,
    entries,
    openHolds: rows[0]?.holds ?? 0n,
    jobHolds: rows[0]?.jobs ?? 0n,
    detachedMonths: run.months.detached.map((month) => month.toISOString().slice(0, 7)),
    discrepancies: run.discrepancies,
  };
}
