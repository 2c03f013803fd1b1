import { create } from "@bufbuild/protobuf";
import { BudgetPeriod, LimitKind, LimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import { expect, test } from "vitest";
import { readLimitChanges } from "./limits-fields.tsx";

const valuesOf = (values: Record<string, string>) => (name: string) => values[name] ?? "";
const present = create(LimitsSchema, {
  budget: { amountNanoUsd: 5n, period: BudgetPeriod.DAY },
  parallel: 4,
});

test("a field that was emptied removes its limit, and one that was never set does not", () => {
  const changes = readLimitChanges(valuesOf({ parallel: "8" }), present);
  expect(changes).toEqual({ set: { parallel: 8 }, remove: [LimitKind.BUDGET] });
});

test("a budget that is no amount is refused by name", () => {
  for (const budget of ["ten", "0", "1.0000001"]) {
    const values = valuesOf({ budget });
    expect(() => readLimitChanges(values, present)).toThrow("The budget must be an amount in USD");
  }
});
