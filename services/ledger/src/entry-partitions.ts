import type { Log } from "@tollgate/core/log";
import type pg from "pg";

/** The current month and these after it have a partition of their own. */
const monthsAhead = 3;

/**
 * Creates the partitions of entries for the current month and the next three, by the database's
 * clock. Idempotent; every replica may run it at the same time. A month without a partition is
 * logged: its entries are stored in `entry_default`, and nothing else differs.
 */
export async function createEntryPartitions(pool: pg.Pool, log: Log): Promise<void> {
  const { rows } = await pool.query<{ month: string; outcome: string }>({
    name: "create-entry-partitions",
    text: createSql,
    values: [monthsAhead],
  });
  for (const { month, outcome } of rows) {
    if (outcome === "created") log.info({ month }, "partition of entries created");
    if (outcome === "default" || outcome === "detached") {
      log.warn({ month, outcome }, "entries of a month are stored in entry_default");
    }
  }
}

const createSql = `
  SELECT to_char(month, 'YYYY-MM') AS month, create_entry_partition(month::date) AS outcome
  FROM generate_series(0, $1::int) AS n,
    LATERAL (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month' AS month)
      AS months`;
