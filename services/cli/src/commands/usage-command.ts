import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import { UsageBy, type UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { UsageError } from "../help.ts";
import {
  nullableDimensions,
  usageFilterOfOptions,
  usageFilterOptions,
} from "../options/usage-filter.ts";
import { periodOfOptions } from "../options/usage-period.ts";
import { exactUsd } from "../text/amounts.ts";
import { csvLines } from "../text/csv-lines.ts";
import { terminalWidth } from "../text/table.ts";
import { usageTable } from "../text/usage-table.ts";
import type { Command } from "./command.ts";

const groupings: Readonly<Record<string, UsageBy>> = {
  ...nullableDimensions,
  account: UsageBy.ACCOUNT,
  "end-user": UsageBy.END_USER,
  hour: UsageBy.HOUR,
  day: UsageBy.DAY,
  month: UsageBy.MONTH,
};

/** `tollgate usage`: what was used and charged in a period, as a table, CSV or JSON. */
export const usageCommand: Command = {
  takes: [],
  options: ["account", "by", ...usageFilterOptions, "from", "to", "csv"],
  async run(_args, { account = "", by: byText = "model", csv = false, ...options }, operator) {
    const names = byText.split(",");
    const [by, thenBy = UsageBy.UNSPECIFIED] = names.map(readGrouping);
    if (by === undefined || names.length > 2) throw wrongGrouping();
    const filter = usageFilterOfOptions(options);
    const { from, to } = periodOfOptions(options, new Date());
    const period = { from: timestampFromDate(from), to: timestampFromDate(to) };
    const { usage, csv: text } = await operator().readUsage({
      ...{ account, by, thenBy, filter, ...period, asCsv: csv },
    });
    const { sums = [], hasMore = false } = usage ?? {};
    const shown = `${from.toISOString()} to ${to.toISOString()}`;
    const more = hasMore ? ["there are more: choose an account or a shorter period"] : [];
    return {
      lines: csv ? csvLines(text) : [`usage from ${shown}`, ...tableLines(sums, names), ...more],
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
