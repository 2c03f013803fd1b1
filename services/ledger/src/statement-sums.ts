import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import type pg from "pg";

const dayMs = 24 * 60 * 60 * 1_000;
/** Lines of a kind that are listed one by one. The rest is one line, and of charges one for each model. */
const maxLines = 1_000;

export interface StatementPeriod {
  accountId: string;
  /** The start of a day (UTC). */
  from: Date;
  /** The start of a day that does not belong to it. */
  to: Date;
}

/**
 * Resolves with the changes of a wallet in a period, or without sums if there is no wallet. Reads the records of
 * references and the sums of usage in one snapshot, and no entry of usage. If the month is detached, only the
 * reasons of its adjustments are missing. Throws `invalid_param` for a period that does not begin and end with
 * a day.
 */
export async function sumStatement(pool: pg.Pool, period: StatementPeriod) {
  const { accountId, from, to } = period;
  requireDays(from, to);
  const client = await pool.connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const sums = await readSums(client, [accountId, from, to]);
    await client.query("COMMIT");
    return sums === undefined ? {} : { sums };
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/** Throws `invalid_param` for a period that does not begin and end with a day (UTC). */
export function requireDays(from: Date, to: Date): void {
  if (from.getTime() % dayMs === 0 && to.getTime() % dayMs === 0 && from < to) return;
  throw invalidParam("from", "and to must be the starts of two days (UTC)");
}

type PeriodValues = [accountId: string, from: Date, to: Date];

async function readSums(client: pg.PoolClient, values: PeriodValues) {
  const [accountId, from, to] = values;
  const wallet = "SELECT 1 FROM wallet WHERE account_id = $1";
  if ((await client.query(wallet, [accountId])).rowCount === 0) return undefined;
  const topUps = await readLines(client, values, topUpsSql);
  const refunds = await readLines(client, values, adjustmentsSql(""));
  const adjustments = await readLines(client, values, adjustmentsSql("NOT"));
  const { rows: charges } = await client.query<ChargeRow>(chargesSql, values);
  return {
    openingNanoUsd: await readBalance(client, accountId, from),
    closingNanoUsd: await readBalance(client, accountId, to),
    ...{ topUps: topUps.lines, topUpsNanoUsd: topUps.sum },
    ...{ refunds: refunds.lines, refundsNanoUsd: refunds.sum },
    ...{ adjustments: adjustments.lines, adjustmentsNanoUsd: adjustments.sum },
    charges: charges.map((row) => ({
      ...{ alias: row.alias, keyId: row.key_id },
      ...{ requests: row.requests, chargedNanoUsd: row.charged },
    })),
    chargesNanoUsd: charges.reduce((sum, { charged }) => sum + charged, 0n),
  };
}

/** Resolves with the balance of a wallet at the start of an hour. */
async function readBalance(client: pg.PoolClient, accountId: string, at: Date): Promise<bigint> {
  const { rows } = await client.query<{ balance: bigint }>(
    `SELECT (
       coalesce((SELECT sum(credited_nano_usd) FROM credit
         WHERE account_id = $1 AND recorded_at < $2), 0)
       + coalesce((SELECT sum(amount_nano_usd) FROM adjustment
         WHERE account_id = $1 AND recorded_at < $2), 0)
       - coalesce((SELECT sum(charged_nano_usd) FROM spend_hour
         WHERE account_id = $1 AND hour < $2), 0))::bigint AS balance`,
    [accountId, at],
  );
  return rows[0]?.balance ?? 0n;
}

interface LineRow {
  at: Date;
  reference: string;
  reason: string;
  amount: bigint;
}

/** Resolves with the first lines of a kind, one line for the rest, and the sum of all. */
async function readLines(client: pg.PoolClient, values: PeriodValues, { rows, reason }: LinesSql) {
  const { rows: listed } = await client.query<LineRow>(
    `SELECT recorded_at AS at, reference, ${reason} AS reason, amount
     FROM (${rows} ORDER BY recorded_at, reference LIMIT ${maxLines}) line
     ORDER BY recorded_at, reference`,
    values,
  );
  const { rows: sums } = await client.query<{ entries: bigint; sum: bigint; last: Date | null }>(
    `SELECT count(*) AS entries, coalesce(sum(amount), 0)::bigint AS sum, max(recorded_at) AS last
     FROM (${rows}) line`,
    values,
  );
  const { entries = 0n, sum = 0n, last = null } = sums[0] ?? {};
  const lines = listed.map((row) => ({
    at: timestampFromDate(row.at),
    ...{ reference: row.reference, reason: row.reason, amountNanoUsd: row.amount, entries: 1n },
  }));
  if (last !== null && entries > BigInt(lines.length)) {
    const amountNanoUsd = sum - listed.reduce((all, { amount }) => all + amount, 0n);
    const rest = {
      reference: "",
      reason: "",
      amountNanoUsd,
      entries: entries - BigInt(lines.length),
    };
    lines.push({ at: timestampFromDate(last), ...rest });
  }
  return { lines, sum };
}

/** The rows of a kind of line, and the expression of the reason of one. */
interface LinesSql {
  rows: string;
  reason: string;
}

const topUpsSql: LinesSql = {
  rows: `
    SELECT recorded_at, reference, credited_nano_usd AS amount FROM credit
    WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3`,
  reason: "''",
};

/** The adjustments of reversals, and of refunds of requests, are refunds. */
export const isRefundSql = "(reference LIKE 'reversal:%' OR reference LIKE 'refund:%')";

function adjustmentsSql(not: "" | "NOT"): LinesSql {
  return {
    rows: `
      SELECT recorded_at, reference, amount_nano_usd AS amount, entry_id FROM adjustment
      WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3 AND ${not} ${isRefundSql}`,
    reason: `coalesce((SELECT e.reason FROM entry e
      WHERE e.id = line.entry_id AND e.recorded_at = line.recorded_at), '')`,
  };
}

interface ChargeRow {
  alias: string;
  key_id: string;
  requests: bigint;
  charged: bigint;
}

/** What is behind the listed lines is summed by model, without a key. */
const chargesSql = `
  SELECT alias, CASE WHEN place <= ${maxLines} THEN key_id ELSE '' END AS key_id,
    sum(requests)::bigint AS requests, sum(charged)::bigint AS charged
  FROM (
    SELECT alias, key_id, sum(requests - failed_requests) AS requests,
      sum(charged_nano_usd) AS charged,
      row_number() OVER (ORDER BY sum(charged_nano_usd) DESC, alias, key_id) AS place
    FROM usage_day WHERE account_id = $1 AND day >= $2 AND day < $3
    GROUP BY alias, key_id HAVING sum(requests - failed_requests) > 0) line
  GROUP BY 1, 2 ORDER BY min(place)`;
