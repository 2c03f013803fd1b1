import { create } from "@bufbuild/protobuf";
import { minOf } from "@tollgate/core/money";
import {
  type Budget,
  BudgetPeriod,
  type Limits,
  LimitsSchema,
} from "@tollgate/proto/tollgate/v1/limits";

/** Several models side by side, in two tabs. */
const parallel = 8;
/** A person reads the responses. */
const requestsPerMinute = 60;

/** The most days of a period. */
const days: Readonly<Partial<Record<BudgetPeriod, bigint>>> = {
  [BudgetPeriod.DAY]: 1n,
  [BudgetPeriod.WEEK]: 7n,
  [BudgetPeriod.MONTH]: 31n,
};

/**
 * Returns the limits of the key of a playground: a daily budget, and what the account's bounds allow a key.
 * Where the bounds have a budget, that of the key has the same period and is not higher.
 */
export function playgroundLimits(dailyNanoUsd: bigint, bounds: Limits | undefined): Limits {
  return create(LimitsSchema, {
    requestsPerMinute: Math.min(requestsPerMinute, bounds?.requestsPerMinute ?? requestsPerMinute),
    parallel: Math.min(parallel, bounds?.parallel ?? parallel),
    ...(bounds?.tokensPerMinute !== undefined && { tokensPerMinute: bounds.tokensPerMinute }),
    budget: budgetWithin(dailyNanoUsd, bounds?.budget),
  });
}

function budgetWithin(dailyNanoUsd: bigint, bound: Budget | undefined) {
  if (bound === undefined) return { period: BudgetPeriod.DAY, amountNanoUsd: dailyNanoUsd };
  const { period, amountNanoUsd } = bound;
  const periodDays = days[period];
  if (periodDays === undefined) return { period, amountNanoUsd };
  return { period, amountNanoUsd: minOf(amountNanoUsd, dailyNanoUsd * periodDays) };
}
