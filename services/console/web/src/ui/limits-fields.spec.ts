import { create } from "@bufbuild/protobuf";
import { BudgetPeriod, LimitKind, LimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import { expect, test } from "vitest";
import { readLimitChanges } from "./limits-fields.tsx";

const valuesOf = (values: Record<string, string>) => (name: string) => values[name] ?? "";
const present = create(LimitsSchema, {
  budget: { amountNanoUsd: 5n, period: BudgetPeriod.DAY },
  parallel: 4,
  requestsPerMinutePerUser: 9,
});

test("a field that was emptied removes its limit, and one that was never set does not", () => {
  const changes = readLimitChanges(valuesOf({ parallel: "8" }), present);
  const remove = [LimitKind.BUDGET, LimitKind.REQUESTS_PER_USER];
  expect(changes).toEqual({ set: { parallel: 8 }, remove });
});

test("the limits of each end user are read beside those of the key", () => {
  const values = { budget: "2", period: "1", "user-budget": "0.5", "user-period": "3" };
  const { set } = readLimitChanges(valuesOf({ ...values, "user-requests": "9" }), present);
  expect(set).toMatchObject({
    budget: { amountNanoUsd: 2_000_000_000n, period: BudgetPeriod.DAY },
    budgetPerUser: { amountNanoUsd: 500_000_000n, period: BudgetPeriod.MONTH },
    requestsPerMinutePerUser: 9,
  });
});

test("a budget that is no amount is refused by name", () => {
  for (const budget of ["ten", "0", "1.0000001"]) {
    const values = valuesOf({ budget });
    expect(() => readLimitChanges(values, present)).toThrow("The budget must be an amount in USD");
  }
});
