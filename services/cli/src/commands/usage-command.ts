import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import { UsageBy, type UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { UsageError } from "../help.ts";
import { periodOfOptions } from "../options/usage-period.ts";
import { exactUsd } from "../text/amounts.ts";
import { terminalWidth } from "../text/table.ts";
import { usageTable } from "../text/usage-table.ts";
import type { Command, CommandOptions } from "./command.ts";

const groupings: Readonly<Record<string, UsageBy>> = {
  model: UsageBy.MODEL,
  key: UsageBy.KEY,
  provider: UsageBy.PROVIDER,
  route: UsageBy.ROUTE,
  account: UsageBy.ACCOUNT,
  plan: UsageBy.PLAN,
  tag: UsageBy.TAG,
  owner: UsageBy.OWNER,
  "end-user": UsageBy.END_USER,
  hour: UsageBy.HOUR,
  day: UsageBy.DAY,
  month: UsageBy.MONTH,
};

/** `tollgate usage`: what was used and charged in a period, as a table, CSV or JSON. */
export const usageCommand: Command = {
  takes: [],
  options: [
    ...["account", "by", "key", "model", "provider", "route", "plan", "tag", "owner"],
    ...["end-user", "from", "to", "csv"],
  ] as readonly (keyof CommandOptions)[],
  async run(_args, { account = "", by: byText = "model", csv = false, ...options }, operator) {
    const names = byText.split(",");
    const [by, thenBy = UsageBy.UNSPECIFIED] = names.map(readGrouping);
    if (by === undefined || names.length > 2) throw wrongGrouping();
    const { key: keyId = "", model: alias = "", provider = "", route: routeType = "" } = options;
    const { plan = "", tag: [tag = ""] = [], owner = "", "end-user": endUser = "" } = options;
    const filter = { keyId, alias, provider, routeType, plan, tag, owner, endUser };
    const { from, to } = periodOfOptions(options, new Date());
    const period = { from: timestampFromDate(from), to: timestampFromDate(to) };
    const { usage } = await operator().readUsage({
      ...{ account, by, thenBy, filter, ...period },
    });
    const { sums = [], hasMore = false } = usage ?? {};
    const lines = csv ? csvLines(sums, names) : tableLines(sums, names);
    const shown = `${from.toISOString()} to ${to.toISOString()}`;
    const more = hasMore ? ["there are more: choose an account or a shorter period"] : [];
    return {
      lines: csv ? lines : [`usage from ${shown}`, ...lines, ...more],
      json: {
        from: from.toISOString(),
        to: to.toISOString(),
        by: byText,
        usage: sums.map((sum) => usageJson(sum, names)),
        has_more: hasMore,
      },
    };
  },
};

function readGrouping(name: string): UsageBy {
  const by = Object.hasOwn(groupings, name) ? groupings[name] : undefined;
  if (by === undefined) throw wrongGrouping();
  return by;
}

function wrongGrouping(): UsageError {
  const names = Object.keys(groupings).join(", ");
  return new UsageError(`--by must be one or two of ${names}, with a comma between them`);
}

function tableLines(sums: readonly UsageSum[], by: readonly string[]): string[] {
  if (sums.length === 0) return ["none"];
  const named =
    by.length === 1
      ? sums
      : sums.map((sum) => ({
          ...sum,
          name: `${sum.name || "none"} / ${sum.thenName || "none"}`,
        }));
  return usageTable(named, by.join(" / "), terminalWidth());
}

function usageJson(sum: UsageSum, [by = "", thenBy]: readonly string[]) {
  return {
    [by]: sum.name,
    ...(thenBy !== undefined && { [thenBy]: sum.thenName }),
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
function csvLines(sums: readonly UsageSum[], by: readonly string[]): string[] {
  const isByKey = by[0] === "key";
  const header = [...by, ...(isByKey ? ["account_id"] : []), ...csvColumns];
  const records = sums.map((sum) => {
    const quantities = sum.quantities.map(({ unitType, quantity }) => `${quantity} ${unitType}`);
    return [
      sum.name,
      ...(by.length > 1 ? [sum.thenName] : []),
      ...(isByKey ? [sum.accountId] : []),
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
