import { UsageBy, type UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { csvText, csvUsd } from "./csv-text.ts";

export interface SummedUsage {
  sums: readonly UsageSum[];
  /** What the sums are divided by; the second is unspecified where they have one dimension. */
  by: readonly [UsageBy, UsageBy];
  /** Of keys and accounts, by their ids. */
  names: Readonly<Record<string, string>>;
  /** Whether it has what providers charge, which a customer does not see. */
  hasCosts: boolean;
}

const counts = [
  ...["requests", "failed_requests", "quantity", "prompt_tokens", "cached_prompt_tokens"],
  ...["completion_tokens", "cost_usd", "charged_usd", "uncollected_usd"],
];
const costs = ["provider_cost_usd", "costed_charge_usd"];
const named: ReadonlySet<UsageBy> = new Set([UsageBy.KEY, UsageBy.ACCOUNT]);

/**
 * Returns usage as CSV, a line for each sum. A key and an account have their id and their name. Quantities read
 * `120 tokens; 2 images`.
 */
export function usageCsv({ sums, by: [by, thenBy], names, hasCosts }: SummedUsage): string {
  const isByKey = by === UsageBy.KEY;
  const header = [
    ...titlesOf(by),
    ...titlesOf(thenBy),
    ...(isByKey ? ["account_id"] : []),
    ...counts,
    ...(hasCosts ? costs : []),
  ];
  const cellsOf = (dimension: UsageBy, id: string) => {
    if (dimension === UsageBy.UNSPECIFIED) return [];
    return named.has(dimension) ? [id, names[id] ?? ""] : [id];
  };
  const rows = sums.map((sum) => [
    ...cellsOf(by, sum.name),
    ...cellsOf(thenBy, sum.thenName),
    ...(isByKey ? [sum.accountId] : []),
    String(sum.requests),
    String(sum.failedRequests),
    sum.quantities.map(({ unitType, quantity }) => `${quantity} ${unitType}`).join("; "),
    String(sum.promptTokens),
    String(sum.cachedPromptTokens),
    String(sum.completionTokens),
    csvUsd(sum.costNanoUsd),
    csvUsd(sum.chargedNanoUsd),
    csvUsd(sum.uncollectedNanoUsd),
    ...(hasCosts ? [csvUsd(sum.providerCostNanoUsd), csvUsd(sum.costedChargeNanoUsd)] : []),
  ]);
  return csvText([header, ...rows]);
}

function titlesOf(dimension: UsageBy): string[] {
  if (dimension === UsageBy.UNSPECIFIED) return [];
  const name = UsageBy[dimension].toLowerCase();
  return named.has(dimension) ? [name, `${name}_name`] : [name];
}
