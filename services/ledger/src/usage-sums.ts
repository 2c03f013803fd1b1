import { GatewayError } from "@tollgate/core/errors";
import { type KeyLabel, UsageBy, type UsageFilter } from "@tollgate/proto/tollgate/v1/ledger";
import type pg from "pg";
import {
  filterConditions,
  type Grouping,
  groupingsOf,
  labelJoins,
  namesEndUsers,
} from "./usage-grouping.ts";
import { counters, endUserRows, usageRows } from "./usage-rows.ts";

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
  /** If set, each sum is divided by this, too. */
  thenBy?: UsageBy;
  /** If set, how many names of `thenBy` have sums of their own. */
  thenMost?: number;
  /** Of keys, where usage is summed by tag or owner. */
  keyLabels?: readonly KeyLabel[];
  /** Only the usage of these keys. */
  keyIds?: readonly string[] | undefined;
  /** Not the usage of these keys. */
  excludedKeyIds?: readonly string[] | undefined;
}

/**
 * Resolves with the sums of usage in a period, by what `by` and `thenBy` name: 10,000 at the most. Full days
 * (UTC) are read from the sums of days, and the rest from those of hours. Sums that name end users have no
 * usage without one; what is not of full days is read from entries. Throws `invalid_param` for a period that
 * does not begin and end with an hour, or that is empty.
 */
export async function sumUsage(pool: pg.Pool, period: UsagePeriod, now = new Date()) {
  const { from, to } = period;
  const [start, end] = [from.getTime(), to.getTime()];
  if (start % hourMs !== 0 || end % hourMs !== 0 || start >= end) {
    const message = "A period begins and ends with an hour (UTC), and ends after it begins.";
    throw new GatewayError("invalid_param", message, { param: "from" });
  }
  const groupings = groupingsOf(period);
  const byHour = groupings.some(({ by }) => by === UsageBy.HOUR);
  const maxHours = namesEndUsers(period) ? maxHoursOfEndUsers : maxHoursOfAll;
  if (byHour && end - start > maxHours * hourMs) {
    const message = `This usage is summed by hour for ${maxHours / 24} days at most.`;
    throw new GatewayError("invalid_param", message, { param: "from" });
  }
  const firstDay = Math.min(Math.ceil(start / dayMs) * dayMs, end);
  // Nothing is recorded after now: the sums of today are those of its part before `to`.
  const wholeDay = end > now.getTime() ? Math.ceil : Math.floor;
  const lastDay = Math.max(wholeDay(end / dayMs) * dayMs, firstDay);
  const times = byHour ? [start, end, end, end] : [start, firstDay, lastDay, end];
  const { text, values } = sumSql(
    period,
    groupings,
    times.map((time) => new Date(time)),
  );
  const { rows } = await pool.query<SumRow>(text, values);
  return { sums: rows.slice(0, maxSums).map(toSum), hasMore: rows.length > maxSums };
}

/** A year of hours would be as many sums as a response has at the most. */
const maxHoursOfAll = 31 * 24;
/** These are read from entries: some 100,000 an hour where there are many. */
const maxHoursOfEndUsers = 2 * 24;

/** Returns the statement. */
function sumSql(
  period: UsagePeriod,
  [first, second]: readonly [Grouping, Grouping],
  times: readonly Date[],
): { text: string; values: unknown[] } {
  const values: unknown[] = [...times, maxSums + 1];
  const add = (value: unknown) => `$${values.push(value)}`;
  const conditions = filterConditions(period, add);
  const byUnit = Object.entries(counters).map(([as, column]) => `sum(${column}) AS ${as}`);
  const total = ([as]: [string, string]) => `least(sum(${as}), ${maxBigint})::bigint AS ${as}`;
  const joins = labelJoins(period, add);
  const { thenMost = 0 } = period;
  const thenName =
    thenMost === 0
      ? second.name
      : `CASE WHEN ${second.name} IN (SELECT name FROM most) THEN ${second.name} END`;
  const order = first.isTime
    ? "name"
    : "sum(sum(charged)) OVER (PARTITION BY name, account_id) DESC, name, account_id";
  // `most` is found first: to divide all sums by all names of end users would take twice as long.
  const text = `
    WITH used AS NOT MATERIALIZED (
      ${namesEndUsers(period) ? endUserRows(conditions, times, add) : usageRows(conditions)}
    ), most AS (
      SELECT ${second.name} AS name FROM used ${joins} GROUP BY 1
      ORDER BY sum(charged_nano_usd) DESC, sum(requests) DESC, 1 LIMIT ${add(thenMost)}
    ), by_unit AS (
      SELECT ${first.name} AS name, ${thenName} AS then_name, ${first.accountId} AS account_id,
        unit_type, ${byUnit.join(", ")}
      FROM used ${joins} GROUP BY 1, 2, 3, 4
    )
    SELECT name, then_name, account_id, array_agg(unit_type ORDER BY unit_type) AS units,
      array_agg(least(quantity, ${maxBigint})::text ORDER BY unit_type) AS quantities,
      ${Object.entries(counters).map(total).join(", ")}
    FROM by_unit GROUP BY name, then_name, account_id
    ORDER BY ${order}, then_name IS NULL, charged DESC, then_name LIMIT $5`;
  return { text, values };
}

const maxBigint = "9223372036854775807";

type SumRow = Record<keyof typeof counters, bigint> & {
  name: string;
  then_name: string | null;
  account_id: string;
  units: string[];
  quantities: string[];
};

function toSum(row: SumRow) {
  return {
    name: row.name,
    thenName: row.then_name ?? "",
    isRest: row.then_name === null,
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
