import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { BudgetPeriod, LimitKind, LimitRefusalSchema } from "@tollgate/proto/tollgate/v1/limits";
import { expect, test } from "vitest";
import { limitExceeded, wholeAdvice } from "./limit-refusal.ts";

const budget = { amountNanoUsd: 5_000_000_000n, period: BudgetPeriod.DAY };
const resetsAt = timestampFromDate(new Date("2026-11-24T00:00:00Z"));

test.each([
  [
    { kind: LimitKind.BUDGET, limits: { budget }, resetsAt },
    "The budget of this API key, 5.00 USD per day, is used up. It resets at 2026-11-24T00:00:00Z.",
  ],
  [
    { kind: LimitKind.BUDGET, limits: { budget }, resetsAt, heldNanoUsd: 120_000_000n },
    "The budget of this API key, 5.00 USD per day, is used up, of which calls in flight hold " +
      "0.12 USD. It resets at 2026-11-24T00:00:00Z.",
  ],
  [
    {
      kind: LimitKind.BUDGET,
      isAccount: true,
      limits: { budget: { ...budget, period: BudgetPeriod.TOTAL } },
    },
    "The budget of this account, 5.00 USD in total, is used up. It does not reset.",
  ],
  [
    { kind: LimitKind.BUDGET, isEndUser: true, limits: { budget }, resetsAt },
    "The budget of this end user of the API key, 5.00 USD per day, is used up. " +
      "It resets at 2026-11-24T00:00:00Z.",
  ],
  [
    { kind: LimitKind.REQUESTS, limits: { requestsPerMinute: 60 }, retryAfterMs: 12_001 },
    "The limit of this API key, 60 requests per minute, is reached. Retry in 13 s.",
  ],
  [
    {
      kind: LimitKind.TOKENS,
      isAccount: true,
      limits: { tokensPerMinute: 1_000n },
      retryAfterMs: 10,
    },
    "The limit of this account, 1000 tokens per minute, is reached. Retry in 1 s.",
  ],
  [
    { kind: LimitKind.PARALLEL, limits: { parallel: 2 }, retryAfterMs: 1_000 },
    "The limit of this API key, 2 parallel requests, is reached. Retry in 1 s.",
  ],
])("a refusal names the limit and when it ends: %#", (refusal, message) => {
  expect(limitExceeded(create(LimitRefusalSchema, refusal)).message).toBe(message);
});

test("a budget with less left than a request must have available is not called used up", () => {
  const refusal = create(LimitRefusalSchema, {
    kind: LimitKind.BUDGET,
    limits: { budget },
    heldNanoUsd: 120_000_000n,
    resetsAt,
  });
  expect(
    limitExceeded(refusal, { needed: { estimate: 750_000_000n, advice: wholeAdvice } }).message,
  ).toBe(
    "This request may cost up to 0.75 USD, and less is left of the budget of this API key, " +
      `5.00 USD per day, of which calls in flight hold 0.12 USD. ${wholeAdvice} ` +
      "It resets at 2026-11-24T00:00:00Z.",
  );
});
