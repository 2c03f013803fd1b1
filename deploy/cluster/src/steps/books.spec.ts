import { expect, test } from "vitest";
import { emptyLoadResult } from "../load/plan.ts";
import { compareBooks } from "./books.ts";

const load = { ...emptyLoadResult(), requests: 100, costMicroUsd: 1_000 };

test("without failures, the charges are exactly the costs of the responses", () => {
  const note = "1000 micro-USD charged, 1000 in responses; no request failed";
  expect(compareBooks(1_000, load)).toEqual({ note });
  expect(compareBooks(1_001, load)).toHaveProperty("problem");
  expect(compareBooks(999, load)).toHaveProperty("problem");
});

test("failed requests may have been charged, for what their kinds cost and no more", () => {
  const failed = { ...load, failures: { "json: ECONNRESET": 2 }, uncertainMicroUsd: 20 };
  const note = "1020 micro-USD charged, 1000 in responses; 2 failed requests allow for 20 more";
  expect(compareBooks(1_020, failed)).toEqual({ note });
  expect(compareBooks(1_021, failed)).toHaveProperty("problem");
  expect(compareBooks(999, failed)).toHaveProperty("problem");
});
