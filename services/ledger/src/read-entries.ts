import { lostPrefix } from "@tollgate/core/ids";
import type pg from "pg";
import type { Entry, PrismaClient } from "./generated/client.ts";

const maxPage = 1_000;

/**
 * Resolves with a page of entries, newest first: 1,000 at most. An empty `accountId` selects every
 * account, and an empty `beforeEntryId` the newest page.
 */
export async function listEntries(
  prisma: PrismaClient,
  query: { accountId: string; limit: number; beforeEntryId: string },
): Promise<Entry[]> {
  const take = Math.min(Math.max(query.limit, 1), maxPage);
  if (query.accountId === "") {
    const where = query.beforeEntryId === "" ? {} : { id: { lt: query.beforeEntryId } };
    return prisma.entry.findMany({ where, orderBy: { id: "desc" }, take });
  }
  const { accountId, beforeEntryId } = query;
  const where =
    beforeEntryId === ""
      ? { accountId }
      : { id: { in: await idsBefore(prisma, { accountId, beforeEntryId, take }) } };
  return prisma.entry.findMany({
    where,
    orderBy: [{ recordedAt: "desc" }, { id: "desc" }],
    take,
  });
}

/**
 * Resolves with the ids of an account's entries before `beforeEntryId`, or none if that does not
 * exist. The database compares the times: the entries of one statement share a time, and a Date
 * would lose its microseconds.
 */
async function idsBefore(
  prisma: PrismaClient,
  { accountId, beforeEntryId, take }: { accountId: string; beforeEntryId: string; take: number },
): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM entry
    WHERE account_id = ${accountId}
      AND (recorded_at, id) < (SELECT recorded_at, id FROM entry WHERE id = ${beforeEntryId})
    ORDER BY recorded_at DESC, id DESC LIMIT ${take}`;
  return rows.map(({ id }) => id);
}

/** Resolves with what an account was charged since `from`, nano-USD. */
export async function sumSpend(pool: pg.Pool, accountId: string, from: Date): Promise<bigint> {
  const { rows } = await pool.query<{ spend: bigint }>({
    name: "sum-spend",
    text: sumSpendSql,
    values: [accountId, from],
  });
  return rows[0]?.spend ?? 0n;
}

/** Adds the sums of full hours, and the entries in the rest of the hour that contains `from`. */
const sumSpendSql = `
  WITH full_hours AS (SELECT date_trunc('hour', $2::timestamptz, 'UTC') + interval '1 hour' AS since)
  SELECT (
    coalesce((SELECT sum(charged_nano_usd) FROM spend_hour, full_hours
      WHERE account_id = $1 AND hour >= full_hours.since), 0)
    - coalesce((SELECT sum(amount_nano_usd) FROM entry, full_hours
      WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < full_hours.since
        AND kind = 'usage'), 0)
  )::bigint AS spend`;

/**
 * Resolves with what requests of an account were charged, nano-USD, if that was recorded within the
 * trailing `withinMs`. A run that repeats another one costs nothing itself: it has the other's
 * charge. A request that was lost with its process has none: its usage may still arrive, and a charge
 * never changes.
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
  SELECT e.request_id,
    coalesce(
      (SELECT c.charged_nano_usd FROM charge c WHERE c.charge_id = nullif(e.reference, '')),
      -e.amount_nano_usd) AS charged
  FROM entry e
  WHERE e.request_id = ANY ($2) AND e.account_id = $1 AND e.kind IN ('usage', 'failure')
    AND NOT starts_with(e.event_id, '${lostPrefix}')
    AND e.recorded_at > now() - $3 * interval '1 millisecond'`;

/** Resolves with what a charge id was charged, nano-USD, or undefined if it never was. */
export async function findCharge(pool: pg.Pool, chargeId: string): Promise<bigint | undefined> {
  const { rows } = await pool.query<{ charged: bigint }>({
    name: "find-charge",
    text: "SELECT charged_nano_usd AS charged FROM charge WHERE charge_id = $1",
    values: [chargeId],
  });
  return rows[0]?.charged;
}

/** Resolves with the ids of the events that are not recorded. */
export async function findMissing(pool: pg.Pool, eventIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ event_id: string }>({
    name: "find-missing",
    text: `SELECT event_id FROM unnest($1::text[]) AS requested (event_id)
      WHERE NOT EXISTS (SELECT FROM recorded_event r WHERE r.event_id = requested.event_id)`,
    values: [eventIds],
  });
  return rows.map((row) => row.event_id);
}
