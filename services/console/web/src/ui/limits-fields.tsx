import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  BudgetPeriod,
  LimitKind,
  type Limits,
  type LimitsSchema,
} from "@tollgate/proto/tollgate/v1/limits";
import type { LimitChangesSchema } from "@tollgate/proto/tollgate/v1/operator";
import { parseMoney, plainUsd } from "../format/money.ts";
import { Choice, Field, type FieldReader, InputError } from "./form.tsx";

const periodOptions = [
  [String(BudgetPeriod.DAY), "Each day"],
  [String(BudgetPeriod.WEEK), "Each week, from Monday"],
  [String(BudgetPeriod.MONTH), "Each month"],
  [String(BudgetPeriod.TOTAL), "Never: in total"],
] as const;

/** A budget of each end user has no total: users of ended periods are forgotten. */
const userPeriodOptions = periodOptions.slice(0, -1);

/** Wallets and budgets hold whole micro-USD. */
const nanoPerMicro = 1_000n;

const numberPattern = "[1-9][0-9]*";

const whole = { inputMode: "numeric", pattern: numberPattern, placeholder: "None" } as const;

/** The fields of the limits of a key or an account. An empty field is no limit. */
export function LimitsFields({ limits }: { limits: Limits | undefined }) {
  return (
    <fieldset>
      <legend>Limits</legend>
      <Field
        label="Budget in USD"
        name="budget"
        inputMode="decimal"
        placeholder="None"
        defaultValue={limits?.budget ? plainUsd(limits.budget.amountNanoUsd) : ""}
      />
      <Choice
        label="Budget resets"
        name="period"
        options={periodOptions}
        defaultValue={String(limits?.budget?.period ?? BudgetPeriod.MONTH)}
      />
      <Field
        label="Requests a minute"
        name="requests"
        {...whole}
        defaultValue={limits?.requestsPerMinute ?? ""}
      />
      <Field
        label="Tokens a minute"
        name="tokens"
        {...whole}
        defaultValue={limits?.tokensPerMinute?.toString() ?? ""}
      />
      <Field
        label="Requests in progress"
        name="parallel"
        {...whole}
        defaultValue={limits?.parallel ?? ""}
      />
    </fieldset>
  );
}

/** The fields of the limits that a key has for each of its end users. */
export function EndUserLimitsFields({ limits }: { limits: Limits | undefined }) {
  const budget = limits?.budgetPerUser;
  return (
    <fieldset>
      <legend>Limits of each end user</legend>
      <Field
        label="Budget per user in USD"
        name="user-budget"
        inputMode="decimal"
        placeholder="None"
        hint="Requests name their user in `user`, `metadata.user_id` or `safety_identifier`. Those that name none count as one user."
        defaultValue={budget ? plainUsd(budget.amountNanoUsd) : ""}
      />
      <Choice
        label="Budget per user resets"
        name="user-period"
        options={userPeriodOptions}
        defaultValue={String(budget?.period ?? BudgetPeriod.DAY)}
      />
      <Field
        label="Requests per user a minute"
        name="user-requests"
        {...whole}
        defaultValue={limits?.requestsPerMinutePerUser ?? ""}
      />
    </fieldset>
  );
}

/** Returns the limits of a form. Throws an InputError for an amount that is none. */
export function readLimitFields(values: FieldReader): MessageInitShape<typeof LimitsSchema> {
  const [requests, tokens, parallel] = ["requests", "tokens", "parallel"].map(values);
  const [budget = "", userBudget = ""] = ["budget", "user-budget"].map(values);
  const userRequests = values("user-requests");
  return {
    ...(budget && {
      budget: {
        amountNanoUsd: readAmount(budget, "The budget"),
        period: Number(values("period")),
      },
    }),
    ...(userBudget && {
      budgetPerUser: {
        amountNanoUsd: readAmount(userBudget, "The budget per user"),
        period: Number(values("user-period")),
      },
    }),
    ...(userRequests && { requestsPerMinutePerUser: Number(userRequests) }),
    ...(requests && { requestsPerMinute: Number(requests) }),
    ...(tokens && { tokensPerMinute: BigInt(tokens) }),
    ...(parallel && { parallel: Number(parallel) }),
  };
}

/** Returns what changes the present limits into those of a form. */
export function readLimitChanges(
  values: FieldReader,
  present: Limits | undefined,
): MessageInitShape<typeof LimitChangesSchema> {
  const set = readLimitFields(values);
  const kinds = [
    [LimitKind.BUDGET, present?.budget, set.budget],
    [LimitKind.REQUESTS, present?.requestsPerMinute, set.requestsPerMinute],
    [LimitKind.TOKENS, present?.tokensPerMinute, set.tokensPerMinute],
    [LimitKind.PARALLEL, present?.parallel, set.parallel],
    [LimitKind.BUDGET_PER_USER, present?.budgetPerUser, set.budgetPerUser],
    [LimitKind.REQUESTS_PER_USER, present?.requestsPerMinutePerUser, set.requestsPerMinutePerUser],
  ] as const;
  const removed = kinds.filter(([, was, is]) => was !== undefined && is === undefined);
  return { set, remove: removed.map(([kind]) => kind) };
}

/** Returns a positive amount of a form. Throws an InputError that names the field. */
export function readAmount(text: string, name: string): bigint {
  const amount = parseMoney(text);
  if (amount !== undefined && amount > 0n && amount % nanoPerMicro === 0n) return amount;
  throw new InputError(`${name} must be an amount in USD above 0 with at most six decimals.`);
}
