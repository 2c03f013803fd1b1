import { fallbackBases } from "@tollgate/core/fallback-bases";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import type pg from "pg";
import { sumUsage } from "./usage-sums.ts";

/** Of how many requests the times and errors are, so that they take some 30 ms at the most. */
const sampled = 2_500;
const maxForecasts = 20;
const maxFallbacks = 20;
const forecastDays = 7;
const maxDays = 365;

export interface OverviewPeriod {
  /** Empty: every account. */
  accountId: string;
  from: Date;
  to: Date;
}

/** Resolves with the sums of a period; see the message ReadOverviewResponse. */
export async function sumOverview(pool: pg.Pool, period: OverviewPeriod) {
  const [used, money, sample, forecasts, fallbacks] = await Promise.all([
    sumUsage(pool, { ...period, by: UsageBy.ROUTE }),
    sumMoney(pool, period),
    sampleRequests(pool, period),
    forecastWallets(pool, period.accountId),
    countFallbacks(pool, period),
  ]);
  return { ...totalsOf(used), ...money, ...sample, forecasts, fallbacks };
}

function totalsOf({ sums }: Awaited<ReturnType<typeof sumUsage>>) {
  const total = (read: (sum: (typeof sums)[number]) => bigint) =>
    sums.reduce((all, sum) => all + read(sum), 0n);
  return {
    chargedNanoUsd: total(({ chargedNanoUsd }) => chargedNanoUsd),
    uncollectedNanoUsd: total(({ uncollectedNanoUsd }) => uncollectedNanoUsd),
    requests: total(({ requests }) => requests),
    failedRequests: total(({ failedRequests }) => failedRequests),
    providerCostNanoUsd: total(({ providerCostNanoUsd }) => providerCostNanoUsd),
    costedChargeNanoUsd: total(({ costedChargeNanoUsd }) => costedChargeNanoUsd),
  };
}

/** Top-ups and adjustments are few. */
async function sumMoney(pool: pg.Pool, { accountId, from, to }: OverviewPeriod) {
  const { rows } = await pool.query<{ credited: bigint; balance: bigint; held: bigint }>({
    name: "sum-money",
    text: `
      SELECT (
        (SELECT coalesce(sum(credited_nano_usd), 0) FROM credit
          WHERE ($1 = '' OR account_id = $1) AND recorded_at >= $2 AND recorded_at < $3)
        + (SELECT coalesce(sum(amount_nano_usd), 0) FROM adjustment
          WHERE ($1 = '' OR account_id = $1) AND recorded_at >= $2 AND recorded_at < $3)
      )::bigint AS credited, coalesce(sum(balance_nano_usd), 0)::bigint AS balance,
      coalesce(sum(held_nano_usd), 0)::bigint AS held
      FROM wallet WHERE $1 = '' OR account_id = $1`,
    values: [accountId, from, to],
  });
  const [{ credited, balance, held } = { credited: 0n, balance: 0n, held: 0n }] = rows;
  return { creditedNanoUsd: credited, balanceNanoUsd: balance, heldNanoUsd: held };
}

interface SampleRow {
  times: (number | null)[];
  errors: { code: string; requests: number }[] | null;
  providers: ProviderRow[] | null;
}

interface ProviderRow {
  provider: string;
  served: number;
  failed: number;
  p50: number | null;
  p99: number | null;
}

/** The times and the errors of the newest requests of the period whose trail is stored. */
async function sampleRequests(pool: pg.Pool, { accountId, from, to }: OverviewPeriod) {
  const { rows } = await pool.query<SampleRow>({
    name: accountId === "" ? "sample-requests" : "sample-requests-of-account",
    text: sampleSql(accountId !== ""),
    values: [accountId, from, to],
  });
  const [durationP50Ms, durationP99Ms, firstTokenP50Ms, firstTokenP99Ms] = rows[0]?.times ?? [];
  const times = { durationP50Ms, durationP99Ms, firstTokenP50Ms, firstTokenP99Ms };
  const known = Object.entries(times).filter(([, ms]) => ms != null) as [
    keyof typeof times,
    number,
  ][];
  return {
    ...(Object.fromEntries(known) as Partial<Record<keyof typeof times, number>>),
    errors: (rows[0]?.errors ?? []).map(({ code, requests }) => ({
      errorCode: code,
      requests: BigInt(requests),
    })),
    providers: (rows[0]?.providers ?? []).map(({ provider, served, failed, p50, p99 }) => ({
      provider,
      served: BigInt(served),
      failed: BigInt(failed),
      ...(p50 === null ? {} : { durationP50Ms: p50 }),
      ...(p99 === null ? {} : { durationP99Ms: p99 }),
    })),
  };
}

/** The newest trails of all are found by partition and id, those of an account by its entries. */
function sampleSql(ofAccount: boolean): string {
  const source = ofAccount
    ? `SELECT t.trail FROM (
        SELECT id, recorded_at FROM entry
        WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3
          AND kind IN ('usage', 'failure')
        ORDER BY recorded_at DESC, id DESC LIMIT ${sampled}
      ) e, LATERAL (SELECT trail FROM request_trail r
        WHERE r.entry_id = e.id AND r.recorded_at = e.recorded_at LIMIT 1) t`
    : `SELECT trail FROM request_trail WHERE $1 = '' AND recorded_at >= $2 AND recorded_at < $3
        ORDER BY entry_id DESC LIMIT ${sampled}`;
  const percentile = (share: number, value: string) =>
    `percentile_disc(${share}) WITHIN GROUP (ORDER BY ${value})`;
  return `
    WITH sample AS MATERIALIZED (
      SELECT trail, trail ->> 3 AS code, (trail ->> 1)::int AS ms, (trail ->> 2)::int AS first_ms
      FROM (${source}) newest
    ), attempts AS (
      SELECT a ->> 0 AS provider, a ->> 4 AS code, (a ->> 3)::int AS ms
      FROM sample, json_array_elements(trail -> 0) AS a
    ), by_provider AS (
      SELECT provider, count(*) FILTER (WHERE code = '') AS served,
        count(*) FILTER (WHERE code <> '') AS failed,
        ${percentile(0.5, "ms")} FILTER (WHERE code = '') AS p50,
        ${percentile(0.99, "ms")} FILTER (WHERE code = '') AS p99
      FROM attempts GROUP BY provider ORDER BY 2 DESC, 1 LIMIT 100
    ), by_code AS (
      SELECT code, count(*) AS requests FROM sample WHERE code <> ''
      GROUP BY code ORDER BY 2 DESC, 1 LIMIT 100
    )
    SELECT
      (SELECT ARRAY[${percentile(0.5, "ms")}, ${percentile(0.99, "ms")},
        ${percentile(0.5, "first_ms")}, ${percentile(0.99, "first_ms")}]
        FROM sample WHERE code = '') AS times,
      (SELECT json_agg(by_code) FROM by_code) AS errors,
      (SELECT json_agg(by_provider) FROM by_provider) AS providers`;
}

/**
 * The models whose providers do not report usage, by what was billed instead: of the newest requests of
 * the period to which that happened. Empty for an account: it is a matter of the catalog.
 */
export async function countFallbacks(pool: pg.Pool, { accountId, from, to }: OverviewPeriod) {
  if (accountId !== "") return [];
  const { rows } = await pool.query<{ alias: string; basis: string; requests: bigint }>({
    name: "count-fallbacks",
    // In the text, so that the planner sees that the index has them.
    text: `
      SELECT alias, basis, count(*) AS requests FROM (
        SELECT alias, basis FROM entry
        WHERE basis IN (${fallbackBases.map((basis) => `'${basis}'`).join(", ")})
          AND recorded_at >= $1 AND recorded_at < $2
        ORDER BY recorded_at DESC LIMIT ${sampled}
      ) newest GROUP BY alias, basis ORDER BY 3 DESC, 1, 2 LIMIT ${maxFallbacks}`,
    values: [from, to],
  });
  return rows;
}

/** The wallets that are empty soonest at the rate of the last seven days. */
async function forecastWallets(pool: pg.Pool, accountId: string) {
  const { rows } = await pool.query<{ account_id: string; balance: bigint; per_day: bigint }>({
    name: "forecast-wallets",
    text: `
      SELECT w.account_id, w.balance_nano_usd AS balance, u.per_day
      FROM (
        SELECT account_id, (sum(charged_nano_usd) / ${forecastDays})::bigint AS per_day
        FROM usage_day WHERE day >= now() - interval '${forecastDays} days'
          AND ($1 = '' OR account_id = $1)
        GROUP BY account_id
      ) u, LATERAL (SELECT * FROM wallet w WHERE w.account_id = u.account_id LIMIT 1) w
      WHERE u.per_day > 0
      ORDER BY w.balance_nano_usd / u.per_day, w.account_id LIMIT ${maxForecasts}`,
    values: [accountId],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    balanceNanoUsd: row.balance,
    chargedPerDayNanoUsd: row.per_day,
    days: Math.min(maxDays, Number(row.balance / row.per_day)),
  }));
}
