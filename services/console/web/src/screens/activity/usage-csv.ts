import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { toCsv } from "../../format/csv.ts";
import { plainUsd } from "../../format/money.ts";

const numbers = [
  "requests",
  "failed_requests",
  "prompt_tokens",
  "cached_prompt_tokens",
  "completion_tokens",
  "units",
  "cost_usd",
  "charged_usd",
  "uncollected_usd",
  "provider_cost_usd",
  "costed_charge_usd",
];

/** Returns usage as CSV, a line for each sum. Amounts are exact decimals of USD. */
export function usageCsv(
  by: readonly string[],
  sums: readonly UsageSum[],
  nameOf: (name: string) => string,
): string {
  const rows = sums.map((sum) => [
    sum.name,
    nameOf(sum.name),
    ...(by.length === 1 ? [] : [sum.thenName, nameOf(sum.thenName)]),
    String(sum.requests),
    String(sum.failedRequests),
    String(sum.promptTokens),
    String(sum.cachedPromptTokens),
    String(sum.completionTokens),
    sum.quantities.map(({ unitType, quantity }) => `${quantity} ${unitType}`).join("; "),
    plainUsd(sum.costNanoUsd),
    plainUsd(sum.chargedNanoUsd),
    plainUsd(sum.uncollectedNanoUsd),
    plainUsd(sum.providerCostNanoUsd),
    plainUsd(sum.costedChargeNanoUsd),
  ]);
  const [first = "", second] = by;
  const names = second === undefined ? [] : [second, `${second}_name`];
  return toCsv([first, "name", ...names, ...numbers], rows);
}
