import { create } from "@bufbuild/protobuf";
import {
  BudgetPeriod,
  LimitKind,
  type Limits,
  LimitsSchema,
} from "@tollgate/proto/tollgate/v1/limits";
import { type LimitChanges, LimitChangesSchema } from "@tollgate/proto/tollgate/v1/operator";
import type { CommandOptions } from "../commands/command.ts";
import { UsageError } from "../help.ts";
import { readUsd, readWholeNumber } from "../text/amounts.ts";

export const limitOptions = ["budget", "rpm", "tpm", "parallel"] as const;

/** The limits of a key: its own, and those of each of its end users. */
export const keyLimitOptions = [...limitOptions, "budget-per-user", "rpm-per-user"] as const;
type LimitOption = (typeof keyLimitOptions)[number];

/** The word that removes a limit. */
const none = "none";

/** The largest counts that the messages carry. */
const maxUint32 = 2 ** 32 - 1;
const maxTokens = 10 ** 15 - 1;

const kinds: Readonly<Record<LimitOption, LimitKind>> = {
  budget: LimitKind.BUDGET,
  rpm: LimitKind.REQUESTS,
  tpm: LimitKind.TOKENS,
  parallel: LimitKind.PARALLEL,
  "budget-per-user": LimitKind.BUDGET_PER_USER,
  "rpm-per-user": LimitKind.REQUESTS_PER_USER,
};

const periods: Readonly<Record<string, BudgetPeriod>> = {
  day: BudgetPeriod.DAY,
  week: BudgetPeriod.WEEK,
  month: BudgetPeriod.MONTH,
  total: BudgetPeriod.TOTAL,
};

/** Returns the limits that the options set. Throws a UsageError. */
export function limitsOfOptions(options: CommandOptions): Limits {
  const { budget, rpm, tpm, parallel } = options;
  const { "budget-per-user": budgetPerUser, "rpm-per-user": rpmPerUser } = options;
  return create(LimitsSchema, {
    ...(budget === undefined ? {} : { budget: readBudget(budget, "--budget") }),
    ...(budgetPerUser === undefined
      ? {}
      : { budgetPerUser: readBudget(budgetPerUser, "--budget-per-user") }),
    ...(rpmPerUser === undefined
      ? {}
      : { requestsPerMinutePerUser: readWholeNumber(rpmPerUser, "--rpm-per-user", maxUint32) }),
    ...(rpm === undefined ? {} : { requestsPerMinute: readWholeNumber(rpm, "--rpm", maxUint32) }),
    ...(tpm === undefined
      ? {}
      : { tokensPerMinute: BigInt(readWholeNumber(tpm, "--tpm", maxTokens)) }),
    ...(parallel === undefined
      ? {}
      : { parallel: readWholeNumber(parallel, "--parallel", maxUint32) }),
  });
}

/**
 * Returns the changes that the options ask for: `none` removes a limit. Undefined where they name no
 * limit. Throws a UsageError.
 */
export function limitChangesOfOptions(options: CommandOptions): LimitChanges | undefined {
  const named = keyLimitOptions.filter((name) => options[name] !== undefined);
  if (named.length === 0) return undefined;
  const removed = named.filter((name) => options[name] === none);
  const rest = Object.fromEntries(
    named.filter((name) => options[name] !== none).map((name) => [name, options[name]]),
  );
  const remove = removed.map((name) => kinds[name]);
  return create(LimitChangesSchema, { set: limitsOfOptions(rest), remove });
}

function readBudget(text: string, option: string) {
  const [amount = "", periodName = "", ...rest] = text.split("/");
  const period = Object.hasOwn(periods, periodName) ? periods[periodName] : undefined;
  if (period === undefined || rest.length > 0) {
    throw new UsageError(`${option} must be USD/day, USD/week, USD/month or USD/total: 5.00/day`);
  }
  const amountNanoUsd = readUsd(amount, option);
  if (amountNanoUsd > 0n) return { amountNanoUsd, period };
  throw new UsageError(`${option} must be more than 0; revoke a key that must not spend`);
}
