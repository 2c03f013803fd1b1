import { timestampDate } from "@bufbuild/protobuf/wkt";
import { GatewayError } from "@tollgate/core/errors";
import { formatUsd, type NanoUsd } from "@tollgate/core/money";
import type { Rates } from "@tollgate/core/rates";
import { BudgetPeriod, LimitKind, type LimitRefusal } from "@tollgate/proto/tollgate/v1/limits";

/** The limits, by their names in metrics. */
export type LimitName = "budget" | "requests" | "tokens" | "parallel";

/** Returns the name of the limit that a refusal names. */
export function limitNameOf({ kind }: LimitRefusal): LimitName {
  if (kind === LimitKind.REQUESTS) return "requests";
  if (kind === LimitKind.TOKENS) return "tokens";
  return kind === LimitKind.PARALLEL ? "parallel" : "budget";
}

interface RefusedRequest {
  /** The rates that limit the key. */
  rates?: Rates | undefined;
  /** Of a request whose complete estimate must be left of its budgets: the estimate, and advice. */
  needed?: { estimate: NanoUsd; advice: string } | undefined;
}

export const wholeAdvice =
  "All of it must be available: by the account's admission policy, or because the request offers " +
  "tools that the provider runs. Send a smaller request, a lower output limit, or no such tools.";
export const jobAdvice = "A job needs all of it: send fewer pages.";

/**
 * Returns the error of a request that a limit refuses: `credit_balance_exhausted` for a budget,
 * `rate_limited` for any other.
 */
export function limitExceeded(
  refusal: LimitRefusal,
  { rates, needed }: RefusedRequest = {},
): GatewayError {
  if (limitNameOf(refusal) === "budget") {
    return new GatewayError("credit_balance_exhausted", budgetMessage(refusal, needed), { rates });
  }
  const retryAfterSeconds = Math.max(1, Math.ceil(refusal.retryAfterMs / 1_000));
  const message = `${rateMessage(refusal)} Retry in ${retryAfterSeconds} s.`;
  return new GatewayError("rate_limited", message, { retryAfterSeconds, rates });
}

function budgetMessage(refusal: LimitRefusal, needed: RefusedRequest["needed"]): string {
  const { limits, heldNanoUsd, resetsAt } = refusal;
  const { amountNanoUsd = 0n, period = BudgetPeriod.TOTAL } = limits?.budget ?? {};
  const budget = `budget of ${ownerOf(refusal)}, ${usd(amountNanoUsd)} ${periodNames[period]}`;
  const used =
    needed === undefined
      ? `The ${budget}, is used up`
      : `This request may cost up to ${usd(needed.estimate)}, and less is left of the ${budget}`;
  const reason = heldNanoUsd > 0n ? `, of which calls in flight hold ${usd(heldNanoUsd)}` : "";
  const reset =
    resetsAt === undefined
      ? "It does not reset."
      : `It resets at ${timestampDate(resetsAt).toISOString().replace(".000Z", "Z")}.`;
  const advice = needed === undefined ? "" : ` ${needed.advice}`;
  return `${used}${reason}.${advice} ${reset}`;
}

function rateMessage(refusal: LimitRefusal): string {
  const { kind, limits } = refusal;
  const owner = ownerOf(refusal);
  if (kind === LimitKind.REQUESTS) {
    return `The limit of ${owner}, ${count(limits?.requestsPerMinute, "request")} per minute, is reached.`;
  }
  if (kind === LimitKind.TOKENS) {
    return `The limit of ${owner}, ${count(limits?.tokensPerMinute, "token")} per minute, is reached.`;
  }
  return `The limit of ${owner}, ${count(limits?.parallel, "parallel request")}, is reached.`;
}

/** Formats an amount with two decimals, or with more where it has them. */
function usd(amount: NanoUsd): string {
  return `${formatUsd(amount).replace(/(\.\d\d\d*?)0+$/, "$1")} USD`;
}

function count(limit: number | bigint = 0, noun: string): string {
  return `${limit} ${noun}${BigInt(limit) === 1n ? "" : "s"}`;
}

function ownerOf({ isAccount, isEndUser }: LimitRefusal): string {
  if (isEndUser) return "this end user of the API key";
  return isAccount ? "this account" : "this API key";
}

const periodNames: Readonly<Record<BudgetPeriod, string>> = {
  [BudgetPeriod.UNSPECIFIED]: "in total",
  [BudgetPeriod.DAY]: "per day",
  [BudgetPeriod.WEEK]: "per week",
  [BudgetPeriod.MONTH]: "per month",
  [BudgetPeriod.TOTAL]: "in total",
};
