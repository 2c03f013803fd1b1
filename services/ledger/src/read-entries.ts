import type pg from "pg";
import type { PrismaClient } from "./generated/client.ts";

const maxPage = 1_000;

/** A page of entries, newest first. Entry ids sort by time. */
export async function listEntries(
  prisma: PrismaClient,
  query: { accountId: string; limit: number; beforeEntryId: string },
) {
  return prisma.entry.findMany({
    where: {
      ...(query.accountId === "" ? {} : { accountId: query.accountId }),
      ...(query.beforeEntryId === "" ? {} : { id: { lt: query.beforeEntryId } }),
    },
    orderBy: { id: "desc" },
    take: Math.min(Math.max(query.limit, 1), maxPage),
  });
}

/** What an account was charged from `from` until before `to`, nano-USD. */
export async function sumSpend(
  pool: pg.Pool,
  accountId: string,
  from: Date,
  to: Date,
): Promise<bigint> {
  const { rows } = await pool.query<{ spend: bigint }>(
    `SELECT coalesce(-sum(amount_nano_usd), 0)::bigint AS spend FROM entry
     WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3 AND kind = 'usage'`,
    [accountId, from, to],
  );
  return rows[0]?.spend ?? 0n;
}

/**
 * What requests of an account were charged, nano-USD, where that was recorded within the trailing
 * `withinMs`. A run that repeated another one cost nothing itself: its charge is the other's.
 */
export async function findCharges(
  pool: pg.Pool,
  query: { accountId: string; requestIds: readonly string[]; withinMs: number },
): Promise<{ requestId: string; chargedNanoUsd: bigint }[]> {
  const { rows } = await pool.query<{ request_id: string; charged: bigint }>({
    name: "find-charges",
    text: findChargesSql,
    values: [query.accountId, query.requestIds, query.withinMs],
  });
  return rows.map((row) => ({ requestId: row.request_id, chargedNanoUsd: row.charged }));
}

const findChargesSql = `
  SELECT e.request_id, -coalesce(
    (SELECT first.amount_nano_usd FROM entry first
     WHERE first.charge_id = e.reference AND e.reference <> ''),
    e.amount_nano_usd) AS charged
  FROM entry e
  WHERE e.request_id = ANY ($2) AND e.account_id = $1 AND e.kind IN ('usage', 'failure')
    AND e.recorded_at > now() - $3 * interval '1 millisecond'`;
