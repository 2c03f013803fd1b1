import { GatewayError } from "@tollgate/core/errors";
import { UsageBy, type UsageFilter } from "@tollgate/proto/tollgate/v1/ledger";
import type pg from "pg";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const maxSums = 10_000;

export interface UsagePeriod {
  /** Empty: every account. */
  accountId: string;
  /** The start of an hour. */
  from: Date;
  /** The end of the period: the start of an hour that does not belong to it. */
  to: Date;
  by: UsageBy;
  filter?: UsageFilter | undefined;
}

/**
 * Resolves with the sums of usage in a period, by what `by` names: 10,000 at the most. Full days
 * (UTC) are read from the sums of days, and the rest from those of hours; no entry is read. Throws
 * `invalid_param` for a period that does not begin and end with an hour, or that is empty.
 */
export async function sumUsage(pool: pg.Pool, { accountId, from, to, by, filter }: UsagePeriod) {
  const [start, end] = [from.getTime(), to.getTime()];
  if (start % hourMs !== 0 || end % hourMs !== 0 || start >= end) {
    const message = "A period begins and ends with an hour (UTC), and ends after it begins.";
    throw new GatewayError("invalid_param", message, { param: "from" });
  }
  const grouping = groupings[by];
  if (grouping === undefined) {
    const message = "Usage is summed by model, key, provider, route, account, hour, day or month.";
    throw new GatewayError("invalid_param", message, { param: "by" });
  }
  if (by === UsageBy.HOUR && end - start > maxHours * hourMs) {
    const message = `Usage of ${maxHours / 24} days at most is summed by hour.`;
    throw new GatewayError("invalid_param", message, { param: "from" });
  }
  const firstDay = Math.min(Math.ceil(start / dayMs) * dayMs, end);
  const lastDay = Math.max(Math.floor(end / dayMs) * dayMs, firstDay);
  const ofAccount = accountId !== "";
  const times = by === UsageBy.HOUR ? [start, end, end, end] : [start, firstDay, lastDay, end];
  const filters = columnsOf(filter);
  const { rows } = await pool.query<SumRow>({
    name: ["sum-usage", by, ofAccount, ...filters.map(([column]) => column)].join("-"),
    text: sumSql(grouping, [
      ...(ofAccount ? ["account_id"] : []),
      ...filters.map(([name]) => name),
    ]),
    values: [
      ...times.map((time) => new Date(time)),
      maxSums + 1,
      ...(ofAccount ? [accountId] : []),
      ...filters.map(([, value]) => value),
    ],
  });
  return { sums: rows.slice(0, maxSums).map(toSum), hasMore: rows.length > maxSums };
}

interface Grouping {
  name: string;
  accountId: string;
  order: string;
}

/** A year of hours would be as many sums as a response has at the most. */
const maxHours = 31 * 24;

/** Returns the columns that must have certain values. */
function columnsOf(filter: UsageFilter | undefined): [string, string][] {
  const { keyId = "", alias = "", provider = "", routeType = "" } = filter ?? {};
  const columns: [string, string][] = [
    ["key_id", keyId],
    ["alias", alias],
    ["provider", provider],
    ["route_type", routeType],
  ];
  return columns.filter(([, value]) => value !== "");
}

function byTime(format: string): Grouping {
  const name = `to_char(at AT TIME ZONE 'UTC', '${format}')`;
  return { name, accountId: "''", order: "name" };
}

function byColumn(name: string, accountId = "''"): Grouping {
  return { name, accountId, order: "charged DESC, name" };
}

const groupings: Partial<Record<UsageBy, Grouping>> = {
  [UsageBy.MODEL]: byColumn("alias"),
  [UsageBy.KEY]: byColumn("key_id", "account_id"),
  [UsageBy.PROVIDER]: byColumn("provider"),
  [UsageBy.ROUTE]: byColumn("route_type"),
  [UsageBy.ACCOUNT]: byColumn("account_id", "account_id"),
  [UsageBy.HOUR]: byTime('YYYY-MM-DD"T"HH24:00"Z"'),
  [UsageBy.DAY]: byTime("YYYY-MM-DD"),
  [UsageBy.MONTH]: byTime("YYYY-MM"),
};

const counters = {
  requests: "requests",
  failed: "failed_requests",
  quantity: "quantity",
  prompt: "prompt_tokens",
  cached: "cached_prompt_tokens",
  completion: "completion_tokens",
  cost: "cost_nano_usd",
  charged: "charged_nano_usd",
  uncollected: "uncollected_nano_usd",
  provider_cost: "provider_cost_nano_usd",
  costed_charge: "costed_charge_nano_usd",
};

/**
 * Returns the statement for the rows whose `filtered` columns have certain values. The sums of days are found by usage_day_day, or by the primary key of an
 * account's, and those of hours likewise.
 */
function sumSql({ name, accountId, order }: Grouping, filtered: readonly string[]): string {
  const subject = "account_id, key_id, alias, provider, route_type, unit_type";
  const columns = `${subject}, ${Object.values(counters).join(", ")}`;
  const owner = filtered.map((column, index) => `${column} = $${6 + index} AND `).join("");
  const byUnit = Object.entries(counters).map(([as, column]) => `sum(${column}) AS ${as}`);
  const total = ([as]: [string, string]) => `least(sum(${as}), ${maxBigint})::bigint AS ${as}`;
  return `
    WITH used AS (
      SELECT day AS at, ${columns} FROM usage_day WHERE ${owner}day >= $2 AND day < $3
      UNION ALL
      SELECT hour, ${columns} FROM usage_hour WHERE ${owner}hour >= $1 AND hour < $2
      UNION ALL
      SELECT hour, ${columns} FROM usage_hour WHERE ${owner}hour >= $3 AND hour < $4
    ), by_unit AS (
      SELECT ${name} AS name, ${accountId} AS account_id, unit_type, ${byUnit.join(", ")}
      FROM used GROUP BY 1, 2, 3
    )
    SELECT name, account_id, array_agg(unit_type ORDER BY unit_type) AS units,
      array_agg(least(quantity, ${maxBigint})::text ORDER BY unit_type) AS quantities,
      ${Object.entries(counters).map(total).join(", ")}
    FROM by_unit GROUP BY name, account_id ORDER BY ${order} LIMIT $5`;
}

const maxBigint = "9223372036854775807";

type SumRow = Record<keyof typeof counters, bigint> & {
  name: string;
  account_id: string;
  units: string[];
  quantities: string[];
};

function toSum(row: SumRow) {
  return {
    name: row.name,
    accountId: row.account_id,
    requests: row.requests,
    failedRequests: row.failed,
    quantities: row.units.map((unitType, index) => ({
      unitType,
      quantity: BigInt(row.quantities[index] ?? 0),
    })),
    promptTokens: row.prompt,
    cachedPromptTokens: row.cached,
    completionTokens: row.completion,
    costNanoUsd: row.cost,
    chargedNanoUsd: row.charged,
    uncollectedNanoUsd: row.uncollected,
    providerCostNanoUsd: row.provider_cost,
    costedChargeNanoUsd: row.costed_charge,
  };
}
