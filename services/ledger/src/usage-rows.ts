import { idBefore } from "./entry-id.ts";
import type { AddValue } from "./usage-grouping.ts";

/** The counters of sums of usage, by their names in a statement that sums them. */
export const counters = {
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

/** What a row of usage is of, and what it counts. */
const subject = "account_id, key_id, alias, provider, route_type, unit_type, plan";
const columns = `${subject}, ${Object.values(counters).join(", ")}`;

/** What one entry counts, in the order of `counters`. */
const entryCounts = `1, (kind = 'failure')::integer, quantity, prompt_tokens, cached_prompt_tokens,
  completion_tokens, cost_nano_usd, -amount_nano_usd, uncollected_nano_usd,
  coalesce(provider_cost_nano_usd, 0),
  CASE WHEN provider_cost_nano_usd IS NULL THEN 0 ELSE -amount_nano_usd END`;

/**
 * Returns the query of the rows of usage that match, with their time `at`: the hours from `$1` to `$2`, the days
 * from `$2` to `$3` and the hours from `$3` to `$4`. Days are found by usage_day_day, or by the primary key of
 * an account's, and hours likewise.
 */
export function usageRows(conditions: readonly string[]): string {
  const matching = conditions.map((condition) => `${condition} AND `).join("");
  return `SELECT day AS at, ${columns} FROM usage_day WHERE ${matching}day >= $2 AND day < $3
    UNION ALL
    SELECT hour, ${columns} FROM usage_hour WHERE ${matching}hour >= $1 AND hour < $2
    UNION ALL
    SELECT hour, ${columns} FROM usage_hour WHERE ${matching}hour >= $3 AND hour < $4`;
}

/**
 * Returns the same of end users: the entries of hours, since only days have sums of end users. The entries of
 * all accounts are found by their ids, and those of an account by entry_account_recorded_at.
 */
export function endUserRows(
  conditions: readonly string[],
  times: readonly Date[],
  add: AddValue,
): string {
  const matching = conditions.map((condition) => `${condition} AND `).join("");
  const ofEntries = (from: number, to: number) =>
    `SELECT recorded_at, end_user, ${subject}, ${entryCounts} FROM entry
     WHERE ${matching}end_user <> '' AND kind IN ('usage', 'failure')
       AND recorded_at >= $${from} AND recorded_at < $${to}
       AND id >= ${add(idBefore(times[from - 1] ?? new Date(0)))}`;
  return `SELECT day AS at, end_user, ${columns} FROM end_user_day
    WHERE ${matching}day >= $2 AND day < $3
    UNION ALL ${ofEntries(1, 2)} UNION ALL ${ofEntries(3, 4)}`;
}
