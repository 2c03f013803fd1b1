import { formatUsd } from "@tollgate/core/money";
import { BudgetPeriod, type Limits, type LimitUse } from "@tollgate/proto/tollgate/v1/limits";
import { shortUsd } from "./amounts.ts";
import { isoTime, shortTime } from "./times.ts";

const periodNames: Readonly<Record<BudgetPeriod, string>> = {
  [BudgetPeriod.UNSPECIFIED]: "total",
  [BudgetPeriod.DAY]: "day",
  [BudgetPeriod.WEEK]: "week",
  [BudgetPeriod.MONTH]: "month",
  [BudgetPeriod.TOTAL]: "total",
};

/** Returns a budget as `1.25 of 5.00 USD/day`; empty without one. */
export function budgetText(use: LimitUse | undefined): string {
  const budget = use?.limits?.budget;
  if (use === undefined || budget === undefined) return "";
  const limit = `${shortUsd(budget.amountNanoUsd)} USD/${periodNames[budget.period]}`;
  return `${shortUsd(use.spentNanoUsd)} of ${limit}`;
}

/** Returns a line for each limit, with what is used of it. */
export function limitLines(use: LimitUse | undefined): string[] {
  if (use === undefined) return ["limits: none"];
  const { limits, requests, tokens, inProgress } = use;
  const { requestsPerMinute, tokensPerMinute, parallel } = limits ?? {};
  return [
    ...(limits?.budget === undefined ? [] : [`budget: ${budgetText(use)}${detailsOf(use)}`]),
    ...rateLine("requests per minute", requestsPerMinute, requests),
    ...rateLine("tokens per minute", tokensPerMinute, tokens),
    ...rateLine("parallel requests", parallel, inProgress),
  ];
}

/** Returns the limits for JSON, null where there are none. */
export function limitsJson(use: LimitUse | undefined) {
  if (use === undefined) return null;
  const limits: Partial<Limits> = use.limits ?? {};
  const { budget, requestsPerMinute, tokensPerMinute, parallel } = limits;
  return {
    budget: budget === undefined ? null : budgetJson(use, budget),
    requests_per_minute: rateJson(requestsPerMinute, use.requests),
    tokens_per_minute: rateJson(tokensPerMinute, use.tokens),
    parallel: rateJson(parallel, use.inProgress),
  };
}

function budgetJson(use: LimitUse, budget: NonNullable<Limits["budget"]>) {
  return {
    limit_usd: formatUsd(budget.amountNanoUsd),
    period: periodNames[budget.period],
    spent_usd: formatUsd(use.spentNanoUsd),
    held_usd: formatUsd(use.heldNanoUsd),
    resets_at: isoTime(use.resetsAt),
  };
}

function detailsOf({ heldNanoUsd, resetsAt }: LimitUse): string {
  const held = heldNanoUsd > 0n ? [`${shortUsd(heldNanoUsd)} held`] : [];
  const reset = resetsAt === undefined ? [] : [`resets ${shortTime(resetsAt)}`];
  const details = [...held, ...reset];
  return details.length === 0 ? "" : ` (${details.join(", ")})`;
}

function rateLine(name: string, limit: number | bigint | undefined, used: number | bigint) {
  return limit === undefined ? [] : [`${name}: ${used} of ${limit}`];
}

function rateJson(limit: number | bigint | undefined, used: number | bigint) {
  return limit === undefined ? null : { limit: Number(limit), used: Number(used) };
}
