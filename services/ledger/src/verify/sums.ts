import {
  check,
  eachSlice,
  isAttached,
  lineLimit,
  type VerificationRun,
} from "./verification-run.ts";

const counters = [
  "requests",
  "failed_requests",
  "quantity",
  "prompt_tokens",
  "cached_prompt_tokens",
  "completion_tokens",
  "cost_nano_usd",
  "charged_nano_usd",
  "uncollected_nano_usd",
  "provider_cost_nano_usd",
  "costed_charge_nano_usd",
] as const;

/** The sums of an hour's entries, in the order of `counters`. */
const entrySums = `count(*), count(*) FILTER (WHERE kind = 'failure'), sum(quantity),
  sum(prompt_tokens), sum(cached_prompt_tokens), sum(completion_tokens), sum(cost_nano_usd),
  -sum(amount_nano_usd), sum(uncollected_nano_usd), sum(provider_cost_nano_usd),
  -sum(amount_nano_usd) FILTER (WHERE provider_cost_nano_usd IS NOT NULL)`;
const columnSums = counters.map((column) => `sum(${column})`).join(", ");
const subject = "key_id, alias, provider, route_type, unit_type, plan";
const userSubject = `end_user, ${subject}`;

/**
 * Compares the sums of hours with the entries of attached months, the spend of hours with the sums of
 * hours, and the sums of days with those of hours. A slice has about 50,000 entries.
 */
export async function verifySums(run: VerificationRun): Promise<void> {
  const hours = {
    name: "usage_hour",
    key: ["account_id", "hour"],
    first: ["", "-infinity"],
    rows: 5_000,
    weight: { column: "requests", most: 50_000 },
  };
  await eachSlice(run, hours, async (after, last) => {
    const values = [...after, ...(last ?? [])];
    await compareHours(run, values);
    await compareSpend(run, values);
  });
  const days = { name: "usage_day", key: ["account_id", "day"], first: hours.first, rows: 1_000 };
  await eachSlice(run, days, (after, last) => compareDays(run, [...after, ...(last ?? [])]));
  const users = { ...hours, name: "end_user_day", key: ["account_id", "day"] };
  await eachSlice(run, users, (after, last) => compareEndUsers(run, [...after, ...(last ?? [])]));
}

async function compareHours(run: VerificationRun, slice: readonly string[]): Promise<void> {
  const n = slice.length + 1;
  const entries = `SELECT account_id, date_trunc('hour', recorded_at, 'UTC') AS period, ${subject},
      ${entrySums}
    FROM entry WHERE ${within("recorded_at", "1 hour", slice)} AND kind IN ('usage', 'failure')
      AND ${isAttached("recorded_at", n)} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`;
  const sums = `SELECT account_id, hour AS period, ${subject}, ${counters.join(", ")}
    FROM usage_hour WHERE ${within("hour", "1 hour", slice)} AND ${isAttached("hour", n)}`;
  await check<Difference>(
    run,
    (detached) => ({ text: compareSql(entries, sums), values: [...slice, detached] }),
    (row) => describeDifference(row, "hour", "in entries", "in usage_hour"),
  );
}

async function compareDays(run: VerificationRun, slice: readonly string[]): Promise<void> {
  const hours = `SELECT account_id, date_trunc('day', hour, 'UTC') AS period, ${subject}, ${columnSums}
    FROM usage_hour WHERE ${within("hour", "24 hours", slice)} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`;
  const days = `SELECT account_id, day AS period, ${subject}, ${counters.join(", ")}
    FROM usage_day WHERE ${within("day", "24 hours", slice)}`;
  await check<Difference>(
    run,
    () => ({ text: compareSql(hours, days), values: [...slice] }),
    (row) => describeDifference(row, "day", "in usage_hour", "in usage_day"),
  );
}

/** Compares the sums of end users with the entries of attached months, which entry_end_user_recorded_at has. */
async function compareEndUsers(run: VerificationRun, slice: readonly string[]): Promise<void> {
  const n = slice.length + 1;
  const entries = `SELECT account_id, date_trunc('day', recorded_at, 'UTC') AS period, ${userSubject},
      ${entrySums}
    FROM entry WHERE ${within("recorded_at", "24 hours", slice)} AND kind IN ('usage', 'failure')
      AND end_user <> '' AND ${isAttached("recorded_at", n)} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9`;
  const sums = `SELECT account_id, day AS period, ${userSubject}, ${counters.join(", ")}
    FROM end_user_day WHERE ${within("day", "24 hours", slice)} AND ${isAttached("day", n)}`;
  await check<Difference>(
    run,
    (detached) => ({
      text: compareSql(entries, sums, userSubject),
      values: [...slice, detached],
    }),
    (row) => describeDifference(row, "day", "in entries", "in end_user_day"),
  );
}

async function compareSpend(run: VerificationRun, slice: readonly string[]): Promise<void> {
  const text = `
    WITH u AS (SELECT account_id, hour, sum(charged_nano_usd)::bigint AS charged
               FROM usage_hour WHERE ${within("hour", "1 hour", slice)} GROUP BY 1, 2),
         s AS (SELECT account_id, hour, charged_nano_usd AS spent
               FROM spend_hour WHERE ${within("hour", "1 hour", slice)})
    SELECT account_id, hour, coalesce(charged, 0) AS charged, coalesce(spent, 0) AS spent
    FROM u FULL JOIN s USING (account_id, hour) WHERE coalesce(charged, 0) <> coalesce(spent, 0)
    ORDER BY account_id, hour LIMIT ${lineLimit}`;
  await check<{ account_id: string; hour: Date; charged: bigint; spent: bigint }>(
    run,
    () => ({ text, values: [...slice] }),
    ({ account_id, hour, charged, spent }) =>
      `${account_id}: hour ${hour.toISOString()}: charged ${charged} in usage_hour, ` +
      `${spent} in spend_hour (nano-USD)`,
  );
}

/**
 * Returns the condition that a row is in a slice of periods, by its account and its time: the slice is
 * after the period at `$1, $2`, and its last period, if it has one, is at `$3, $4`.
 */
function within(time: string, length: string, slice: readonly string[]): string {
  const end = (account: number) =>
    `($${account}, $${account + 1}::timestamptz + interval '${length}')`;
  const after = `(account_id, ${time}) >= ${end(1)}`;
  return slice.length === 2 ? after : `${after} AND (account_id, ${time}) < ${end(3)}`;
}

interface Difference {
  account_id: string;
  period: Date;
  key_id: string;
  alias: string;
  left: string[];
  right: string[];
}

/** Returns the statement that compares two queries of sums, of which each may lack rows. */
function compareSql(left: string, right: string, of = subject): string {
  const columns = `account_id, period, ${of}, ${counters.join(", ")}`;
  const values = (side: string) =>
    `ARRAY[${counters.map((name) => `coalesce(${side}.${name}, 0)::text`).join(", ")}]`;
  return `
    WITH l (${columns}) AS (${left}), r (${columns}) AS (${right})
    SELECT * FROM (
      SELECT account_id, period, key_id, alias, ${values("l")} AS "left", ${values("r")} AS "right"
      FROM l FULL JOIN r USING (account_id, period, ${of})
    ) AS compared WHERE compared."left" <> compared."right" ORDER BY account_id, period LIMIT ${lineLimit}`;
}

function describeDifference(row: Difference, period: string, left: string, right: string): string {
  const differences = counters.flatMap((name, index) =>
    row.left[index] === row.right[index]
      ? []
      : [`${name} ${row.left[index]} ${left}, ${row.right[index]} ${right}`],
  );
  const place = `${row.account_id}: ${period} ${row.period.toISOString()}, key ${row.key_id}`;
  return `${place}, model ${row.alias}: ${differences.join("; ")}`;
}
