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

/** Wallets and budgets hold whole micro-USD. */
const nanoPerMicro = 1_000n;

const numberPattern = "[1-9][0-9]*";

/** The fields of the limits of a key or an account. An empty field is no limit. */
export function LimitsFields({ limits }: { limits: Limits | undefined }) {
  const whole = { inputMode: "numeric", pattern: numberPattern, placeholder: "None" } as const;
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

/** Returns the limits of a form. Throws an InputError for an amount that is none. */
export function readLimitFields(values: FieldReader): MessageInitShape<typeof LimitsSchema> {
  const [requests, tokens, parallel] = ["requests", "tokens", "parallel"].map(values);
  return {
    ...(values("budget") && {
      budget: {
        amountNanoUsd: readAmount(values("budget"), "The budget"),
        period: Number(values("period")),
      },
    }),
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
