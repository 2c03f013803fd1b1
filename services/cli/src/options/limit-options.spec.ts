import { BudgetPeriod, LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import { expect, test } from "vitest";
import { limitChangesOfOptions, limitsOfOptions } from "./limit-options.ts";

test("limits are read from their options", () => {
  const ofUsers = { "budget-per-user": "0.50/day", "rpm-per-user": "20" };
  const options = { budget: "1.25/week", rpm: "60", tpm: "1000000", parallel: "4", ...ofUsers };
  expect(limitsOfOptions(options)).toMatchObject({
    budget: { amountNanoUsd: 1_250_000_000n, period: BudgetPeriod.WEEK },
    requestsPerMinute: 60,
    tokensPerMinute: 1_000_000n,
    parallel: 4,
    budgetPerUser: { amountNanoUsd: 500_000_000n, period: BudgetPeriod.DAY },
    requestsPerMinutePerUser: 20,
  });
  expect(Object.keys(limitsOfOptions({}))).not.toContain("parallel");
});

test("an update changes the limits that it names, and removes those that are none", () => {
  expect(limitChangesOfOptions({})).toBeUndefined();
  const changes = limitChangesOfOptions({ budget: "none", rpm: "5", "rpm-per-user": "none" });
  expect(changes?.remove).toEqual([LimitKind.BUDGET, LimitKind.REQUESTS_PER_USER]);
  expect(changes?.set).toMatchObject({ requestsPerMinute: 5 });
  expect(changes?.set?.budget).toBeUndefined();
});

test.each([
  [{ budget: "5" }, "--budget must be USD/day"],
  [{ budget: "5/year" }, "--budget must be USD/day"],
  [{ budget: "5/day/week" }, "--budget must be USD/day"],
  [{ budget: "0/day" }, "--budget must be more than 0"],
  [{ budget: "0.0000001/day" }, "--budget must be an amount such as 12.50"],
  [{ "budget-per-user": "5" }, "--budget-per-user must be USD/day"],
  [{ "rpm-per-user": "0" }, "--rpm-per-user must be a whole number"],
  [{ rpm: "0" }, "--rpm must be a whole number from 1 to 4294967295"],
  [{ rpm: "4294967296" }, "--rpm must be a whole number"],
  [{ tpm: "many" }, "--tpm must be a whole number"],
  [{ parallel: "-1" }, "--parallel must be a whole number"],
])("%j is an invalid limit", (options, message) => {
  expect(() => limitsOfOptions(options)).toThrow(message);
});
