import { invalidParam } from "@tollgate/core/errors";
import { lostPrefix } from "@tollgate/core/ids";
import { AmountOrder } from "@tollgate/proto/tollgate/v1/list";
import type pg from "pg";
import { idAt } from "./entry-id.ts";
import type { Entry, PrismaClient } from "./generated/client.ts";
import { isRefundSql } from "./statement-sums.ts";

const maxPage = 1_000;
/** How many entries a page compares with a key at the most, so that it takes some 50 ms. */
const maxCompared = 10_000;
/** How many entries are put in the order of their amounts, in some 100 ms. */
const maxSorted = 5_000;
/** A request is recorded at its end: a stream may have begun an hour before. */
const maxRequestMs = 60 * 60_000;

export interface EntryPage {
  /** Empty: every account. */
  accountId: string;
  limit: number;
  /** Empty: the first page. */
  beforeEntryId: string;
  filter?: EntryConditions;
  order?: AmountOrder;
}

/** Each member that is set must match. */
export interface EntryConditions {
  from?: Date;
  /** Does not belong to the period. */
  to?: Date;
  /** A kind of entries; `refund` for the adjustments that are refunds. Empty: any. */
  kind?: string;
  /** Empty: any. */
  requestId?: string;
  /** Empty: any. No index has the entries of a key. */
  keyId?: string;
}

/**
 * Resolves with a page of entries, 1,000 at most, and the entry after which the next page begins, which is empty
 * where there are no more. Compares 10,000 entries with a key at the most, so a page may be short, or empty, and
 * not the last one. The order of amounts is that of the newest 5,000. Throws `invalid_param` for a kind that does not exist.
 */
export async function listEntries(
  { pool, prisma }: { pool: pg.Pool; prisma: PrismaClient },
  page: EntryPage,
): Promise<{ entries: Entry[]; nextEntryId: string }> {
  if (page.order === AmountOrder.LARGEST) return listLargest({ pool, prisma }, page);
  const { rows, order, take, values } = pageSql(page);
  const keyId = page.filter?.keyId ?? "";
  const text =
    keyId === ""
      ? `SELECT id ${rows} LIMIT ${take}`
      : `SELECT id FROM (SELECT id, recorded_at, key_id ${rows} LIMIT ${maxCompared}) AS compared
         WHERE key_id = $${values.length + 1} ORDER BY ${order} LIMIT ${take}`;
  const found = await pool.query<{ id: string }>(text, keyId === "" ? values : [...values, keyId]);
  const ids = found.rows.map(({ id }) => id);
  const entries = await readEntries(prisma, ids);
  if (ids.length === take) return { entries, nextEntryId: ids.at(-1) ?? "" };
  if (keyId === "") return { entries, nextEntryId: "" };
  const last = await pool.query<{ id: string }>(
    `SELECT id ${rows} OFFSET ${maxCompared - 1} LIMIT 1`,
    values,
  );
  return { entries, nextEntryId: last.rows[0]?.id ?? "" };
}

/** Resolves with a page of the newest 5,000 entries, those with the largest amounts first. */
async function listLargest(
  { pool, prisma }: { pool: pg.Pool; prisma: PrismaClient },
  page: EntryPage,
): Promise<{ entries: Entry[]; nextEntryId: string }> {
  const { rows, take, values } = pageSql({ ...page, beforeEntryId: "" });
  const add = (value: unknown) => `$${values.push(value)}`;
  const keyId = page.filter?.keyId ?? "";
  const ofKey = keyId === "" ? "" : `WHERE key_id = ${add(keyId)}`;
  const { beforeEntryId: before } = page;
  const position = before && `WHERE n > (SELECT n FROM sorted WHERE id = ${add(before)})`;
  const found = await pool.query<{ id: string }>(
    `WITH newest AS MATERIALIZED (
      SELECT id, recorded_at, key_id, amount_nano_usd ${rows} LIMIT ${maxSorted}
    ), sorted AS MATERIALIZED (
      SELECT id, row_number() OVER (
        ORDER BY abs(amount_nano_usd) DESC, recorded_at DESC, id DESC) AS n
      FROM newest ${ofKey}
    )
    SELECT id FROM sorted ${position} ORDER BY n LIMIT ${take + 1}`,
    values,
  );
  const ids = found.rows.slice(0, take).map(({ id }) => id);
  const nextEntryId = found.rows.length > take ? (ids.at(-1) ?? "") : "";
  return { entries: await readEntries(prisma, ids), nextEntryId };
}

async function readEntries(prisma: PrismaClient, ids: readonly string[]): Promise<Entry[]> {
  const stored = await prisma.entry.findMany({ where: { id: { in: [...ids] } } });
  const byId = new Map(stored.map((entry) => [entry.id, entry]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * Returns the rows of a page, of any key. An account's entries are read by entry_account_recorded_at, those of
 * all by their ids, which ascend with the times of their requests, and what is no usage by the indexes of these
 * few. The database compares the times: the entries of one statement share a time, and a Date would lose its
 * microseconds.
 */
function pageSql({ accountId, limit, beforeEntryId, filter = {}, order: by }: EntryPage) {
  const values: unknown[] = [];
  const add = (value: unknown) => `$${values.push(value)}`;
  const { from, to, kind = "", requestId = "" } = filter;
  const ofAccount = accountId !== "";
  const [after, direction] = by === AmountOrder.OLDEST ? [">", "ASC"] : ["<", "DESC"];
  const bounds = kind === "" ? ["true"] : [conditionOf(kind)];
  if (ofAccount) bounds.push(`account_id = ${add(accountId)}`);
  if (requestId !== "") bounds.push(`request_id = ${add(requestId)}`);
  if (from !== undefined) bounds.push(`recorded_at >= ${add(from)}`);
  if (to !== undefined) bounds.push(`recorded_at < ${add(to)}`);
  if (!ofAccount && from !== undefined)
    bounds.push(`id >= ${add(idAt(from.getTime() - maxRequestMs))}`);
  if (!ofAccount && to !== undefined) bounds.push(`id < ${add(idAt(to.getTime() + maxRequestMs))}`);
  if (beforeEntryId !== "") {
    const before = add(beforeEntryId);
    const position = `(SELECT recorded_at, id FROM entry WHERE id = ${before} LIMIT 1)`;
    bounds.push(ofAccount ? `(recorded_at, id) ${after} ${position}` : `id ${after} ${before}`);
  }
  const order = ofAccount ? `recorded_at ${direction}, id ${direction}` : `id ${direction}`;
  const take = Math.min(Math.max(limit, 1), maxPage);
  const rows = `FROM entry WHERE ${bounds.join(" AND ")} ORDER BY ${order}`;
  return { rows, order, take, values };
}

/** Each condition of a kind that is no usage implies the one of its indexes. */
const kinds: Readonly<Record<string, string>> = {
  usage: "kind = 'usage'",
  failure: "kind <> 'usage' AND kind = 'failure'",
  top_up: "kind <> 'usage' AND kind = 'top_up'",
  adjustment: `kind <> 'usage' AND kind = 'adjustment' AND NOT ${isRefundSql}`,
  refund: `kind <> 'usage' AND kind = 'adjustment' AND ${isRefundSql}`,
};

function conditionOf(kind: string): string {
  const condition = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (condition !== undefined) return condition;
  throw invalidParam("kind", `must be one of ${Object.keys(kinds).join(", ")}`);
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
