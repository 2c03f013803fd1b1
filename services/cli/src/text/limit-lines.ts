import { formatUsd } from "@tollgate/core/money";
import {
  type Budget,
  BudgetPeriod,
  type Limits,
  type LimitUse,
} from "@tollgate/proto/tollgate/v1/limits";
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
  return `${shortUsd(use.spentNanoUsd)} of ${limitText(budget)}`;
}

function limitText({ amountNanoUsd, period }: Budget): string {
  return `${shortUsd(amountNanoUsd)} USD/${periodNames[period]}`;
}

/** Returns a line for each end user, with what is used of the user's limits. */
export function endUserLines(uses: readonly LimitUse[]): string[] {
  return uses.map((use) => {
    const { endUser = "", limits, requests } = use;
    const parts = [
      ...(limits?.budget === undefined ? [] : [`${budgetText(use)}${detailsOf(use)}`]),
      ...rateLine("requests per minute", limits?.requestsPerMinute, requests),
    ];
    return `end user ${endUser || "(none named)"}: ${parts.join(", ")}`;
  });
}

/** Returns what end users have used of their limits for JSON. */
export function endUserJson(use: LimitUse) {
  const { budget, requestsPerMinute } = use.limits ?? {};
  return {
    end_user: use.endUser ?? "",
    budget: budget === undefined ? null : budgetJson(use, budget),
    requests_per_minute: rateJson(requestsPerMinute, use.requests),
  };
}

/** Returns a line for each limit, with what is used of it. */
export function limitLines(use: LimitUse | undefined): string[] {
  if (use === undefined) return ["limits: none"];
  const { limits, requests, tokens, inProgress } = use;
  const { requestsPerMinute, tokensPerMinute, parallel } = limits ?? {};
  const { budgetPerUser: perUser, requestsPerMinutePerUser: requestsPerUser } = limits ?? {};
  return [
    ...(limits?.budget === undefined ? [] : [`budget: ${budgetText(use)}${detailsOf(use)}`]),
    ...rateLine("requests per minute", requestsPerMinute, requests),
    ...rateLine("tokens per minute", tokensPerMinute, tokens),
    ...rateLine("parallel requests", parallel, inProgress),
    ...(perUser === undefined ? [] : [`budget per user: ${limitText(perUser)}`]),
    ...(requestsPerUser === undefined ? [] : [`requests per minute per user: ${requestsPerUser}`]),
  ];
}

/** Returns the limits for JSON, null where there are none. */
export function limitsJson(use: LimitUse | undefined) {
  if (use === undefined) return null;
  const limits: Partial<Limits> = use.limits ?? {};
  const { budget, requestsPerMinute, tokensPerMinute, parallel, budgetPerUser: perUser } = limits;
  return {
    budget: budget === undefined ? null : budgetJson(use, budget),
    requests_per_minute: rateJson(requestsPerMinute, use.requests),
    tokens_per_minute: rateJson(tokensPerMinute, use.tokens),
    parallel: rateJson(parallel, use.inProgress),
    budget_per_user: perUser === undefined ? null : limitJson(perUser),
    requests_per_minute_per_user: limits.requestsPerMinutePerUser ?? null,
  };
}

function limitJson({ amountNanoUsd, period }: Budget) {
  return { limit_usd: formatUsd(amountNanoUsd), period: periodNames[period] };
}

function budgetJson(use: LimitUse, budget: Budget) {
  return {
    ...limitJson(budget),
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
