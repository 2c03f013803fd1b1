import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import { UsageBy, type UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { UsageError } from "../help.ts";
import { periodOfOptions } from "../options/usage-period.ts";
import { exactUsd } from "../text/amounts.ts";
import { terminalWidth } from "../text/table.ts";
import { usageTable } from "../text/usage-table.ts";
import type { Command } from "./command.ts";

const groupings: Readonly<Record<string, UsageBy>> = {
  model: UsageBy.MODEL,
  key: UsageBy.KEY,
  provider: UsageBy.PROVIDER,
  route: UsageBy.ROUTE,
  account: UsageBy.ACCOUNT,
  hour: UsageBy.HOUR,
  day: UsageBy.DAY,
  month: UsageBy.MONTH,
};

/** `tollgate usage`: what was used and charged in a period, as a table, CSV or JSON. */
export const usageCommand: Command = {
  takes: [],
  options: ["account", "by", "key", "model", "provider", "route", "from", "to", "csv"],
  async run(_args, { account = "", by: byName = "model", csv = false, ...options }, operator) {
    const by = Object.hasOwn(groupings, byName) ? groupings[byName] : undefined;
    if (by === undefined) {
      throw new UsageError(`--by must be one of ${Object.keys(groupings).join(", ")}`);
    }
    const { key: keyId = "", model: alias = "", provider = "", route: routeType = "" } = options;
    const filter = { keyId, alias, provider, routeType };
    const { from, to } = periodOfOptions(options, new Date());
    const period = { from: timestampFromDate(from), to: timestampFromDate(to) };
    const { usage } = await operator().readUsage({ account, by, filter, ...period });
    const { sums = [], hasMore = false } = usage ?? {};
    const lines = csv ? csvLines(sums, byName) : tableLines(sums, byName);
    const shown = `${from.toISOString()} to ${to.toISOString()}`;
    const more = hasMore ? ["there are more: choose an account or a shorter period"] : [];
    return {
      lines: csv ? lines : [`usage from ${shown}`, ...lines, ...more],
      json: {
        from: from.toISOString(),
        to: to.toISOString(),
        by: byName,
        usage: sums.map((sum) => usageJson(sum, byName)),
        has_more: hasMore,
      },
    };
  },
};

function tableLines(sums: readonly UsageSum[], by: string): string[] {
  if (sums.length === 0) return ["none"];
  return usageTable(sums, by, terminalWidth());
}

function usageJson(sum: UsageSum, by: string) {
  return {
    [by]: sum.name,
    ...(by === "key" && { account_id: sum.accountId }),
    requests: Number(sum.requests),
    failed_requests: Number(sum.failedRequests),
    quantities: Object.fromEntries(
      sum.quantities.map(({ unitType, quantity }) => [unitType, Number(quantity)]),
    ),
    prompt_tokens: Number(sum.promptTokens),
    cached_prompt_tokens: Number(sum.cachedPromptTokens),
    completion_tokens: Number(sum.completionTokens),
    cost_usd: formatUsd(sum.costNanoUsd),
    charged_usd: formatUsd(sum.chargedNanoUsd),
    uncollected_usd: formatUsd(sum.uncollectedNanoUsd),
    provider_cost_usd: exactUsd(sum.providerCostNanoUsd),
    costed_charge_usd: formatUsd(sum.costedChargeNanoUsd),
  };
}

/** Returns a header and a record for each sum (RFC 4180). Quantities read `120 tokens; 2 images`. */
function csvLines(sums: readonly UsageSum[], by: string): string[] {
  const header = by === "key" ? [by, "account_id", ...csvColumns] : [by, ...csvColumns];
  const records = sums.map((sum) => {
    const quantities = sum.quantities.map(({ unitType, quantity }) => `${quantity} ${unitType}`);
    return [
      sum.name,
      ...(by === "key" ? [sum.accountId] : []),
      sum.requests,
      sum.failedRequests,
      quantities.join("; "),
      sum.promptTokens,
      sum.cachedPromptTokens,
      sum.completionTokens,
      formatUsd(sum.costNanoUsd),
      formatUsd(sum.chargedNanoUsd),
      formatUsd(sum.uncollectedNanoUsd),
      exactUsd(sum.providerCostNanoUsd),
      formatUsd(sum.costedChargeNanoUsd),
    ];
  });
  return [header, ...records].map((cells) => cells.map(csvCell).join(","));
}

const csvColumns = [
  "requests",
  "failed_requests",
  "quantity",
  "prompt_tokens",
  "cached_prompt_tokens",
  "completion_tokens",
  "cost_usd",
  "charged_usd",
  "uncollected_usd",
  "provider_cost_usd",
  "costed_charge_usd",
];

function csvCell(value: string | bigint): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
