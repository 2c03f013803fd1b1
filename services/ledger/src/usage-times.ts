import type pg from "pg";
import { filterConditions, groupingsOf, labelJoins } from "./usage-grouping.ts";
import type { UsagePeriod } from "./usage-sums.ts";

/** Of how many requests the times are, so that they take some 100 ms at the most. */
const sampled = 5_000;

interface Times {
  durationP50Ms?: number;
  durationP99Ms?: number;
  firstTokenP50Ms?: number;
}

interface TimesRow {
  name: string;
  then_name: string;
  account_id: string;
  p50: number;
  p99: number;
  first_p50: number | null;
}

interface NamedSum {
  name: string;
  thenName: string;
  accountId: string;
}

/**
 * Resolves with a function that returns the times of the requests of a sum: of those that were served of
 * the newest 5,000 requests of the period whose trails are stored.
 */
export async function readUsageTimes(
  pool: pg.Pool,
  period: UsagePeriod,
): Promise<(sum: NamedSum) => Times> {
  const { text, values } = timesSql(period);
  const { rows } = await pool.query<TimesRow>(text, values);
  const found = new Map(
    rows.map((row) => [keyOf([row.name, row.then_name, row.account_id]), toTimes(row)]),
  );
  return ({ name, thenName, accountId }) => found.get(keyOf([name, thenName, accountId])) ?? {};
}

/** The newest trails of all are found by partition and id, those of an account by its entries. */
function timesSql(period: UsagePeriod): { text: string; values: unknown[] } {
  const values: unknown[] = [period.from, period.to];
  const add = (value: unknown) => `$${values.push(value)}`;
  const [first, second] = groupingsOf(period);
  const { accountId } = period;
  const columns =
    "account_id, key_id, alias, provider, route_type, plan, end_user, recorded_at AS at";
  const source =
    accountId === ""
      ? `SELECT trail, e.* FROM (
          SELECT entry_id, recorded_at, trail FROM request_trail
          WHERE recorded_at >= $1 AND recorded_at < $2 ORDER BY entry_id DESC LIMIT ${sampled}
        ) t, LATERAL (SELECT ${columns} FROM entry
          WHERE id = t.entry_id AND recorded_at = t.recorded_at LIMIT 1) e`
      : `SELECT t.trail, e.* FROM (
          SELECT id, recorded_at, ${columns} FROM entry
          WHERE account_id = ${add(accountId)} AND recorded_at >= $1 AND recorded_at < $2
            AND kind IN ('usage', 'failure')
          ORDER BY recorded_at DESC, id DESC LIMIT ${sampled}
        ) e, LATERAL (SELECT trail FROM request_trail r
          WHERE r.entry_id = e.id AND r.recorded_at = e.recorded_at LIMIT 1) t`;
  const matches = filterConditions({ ...period, accountId: "" }, add);
  const percentile = (share: number, of: string) =>
    `percentile_disc(${share}) WITHIN GROUP (ORDER BY (trail ->> ${of})::int)`;
  const text = `
    SELECT ${first.name} AS name, ${second.name} AS then_name, ${first.accountId} AS account_id,
      ${percentile(0.5, "1")} AS p50, ${percentile(0.99, "1")} AS p99,
      ${percentile(0.5, "2")} AS first_p50
    FROM (${source}) sample ${labelJoins(period, add)}
    WHERE ${["trail ->> 3 = ''", ...matches].join(" AND ")} GROUP BY 1, 2, 3`;
  return { text, values };
}

function toTimes({ p50, p99, first_p50: first }: TimesRow): Times {
  return {
    durationP50Ms: p50,
    durationP99Ms: p99,
    ...(first === null ? {} : { firstTokenP50Ms: first }),
  };
}

function keyOf(names: readonly string[]): string {
  return JSON.stringify(names);
}
