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
