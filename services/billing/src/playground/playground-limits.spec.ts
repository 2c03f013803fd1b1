import { create } from "@bufbuild/protobuf";
import { BudgetPeriod, LimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import { expect, test } from "vitest";
import { playgroundLimits } from "./playground-limits.ts";

const { DAY, WEEK, MONTH, TOTAL } = BudgetPeriod;
const usd = 1_000_000_000n;

const boundedBy = (period: BudgetPeriod, amountNanoUsd: bigint) =>
  create(LimitsSchema, { budget: { period, amountNanoUsd } });

test("without bounds, a playground has a daily budget, a rate and a number of parallel requests", () => {
  expect(playgroundLimits(usd, undefined)).toMatchObject({
    budget: { period: DAY, amountNanoUsd: usd },
    requestsPerMinute: 60,
    parallel: 8,
  });
});

test.each([
  ["a lower daily bound", DAY, usd / 2n, usd / 2n],
  ["a higher daily bound", DAY, 9n * usd, usd],
  ["a week", WEEK, 100n * usd, 7n * usd],
  ["a month that has less than the days together", MONTH, 20n * usd, 20n * usd],
  ["a month that has more", MONTH, 1_000n * usd, 31n * usd],
  ["a budget that never begins anew", TOTAL, 3n * usd, 3n * usd],
])("the budget stays within %s", (_name, period, bound, amountNanoUsd) => {
  const { budget } = playgroundLimits(usd, boundedBy(period, bound));
  expect(budget).toMatchObject({ period, amountNanoUsd });
});

test("lower rates of the bounds hold, and higher ones do not raise those of the playground", () => {
  const low = { requestsPerMinute: 5, tokensPerMinute: 100n, parallel: 1 };
  expect(playgroundLimits(usd, create(LimitsSchema, low))).toMatchObject(low);
  const high = create(LimitsSchema, { requestsPerMinute: 1_000, parallel: 100 });
  expect(playgroundLimits(usd, high)).toMatchObject({ requestsPerMinute: 60, parallel: 8 });
});
