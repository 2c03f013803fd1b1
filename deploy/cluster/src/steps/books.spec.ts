import { expect, test } from "vitest";
import { emptyResult } from "../load/plan.ts";
import { compare } from "./books.ts";

const load = { ...emptyResult(), requests: 100, costMicroUsd: 1_000 };

test("without failures, the charges are exactly the costs of the responses", () => {
  const note = "1000 micro-USD charged, 1000 in responses; no request failed";
  expect(compare(1_000, load)).toEqual({ note });
  expect(compare(1_001, load)).toHaveProperty("problem");
  expect(compare(999, load)).toHaveProperty("problem");
});

test("failed requests may have been charged, for what their kinds cost and no more", () => {
  const failed = { ...load, failures: { "json: ECONNRESET": 2 }, uncertainMicroUsd: 20 };
  const note = "1020 micro-USD charged, 1000 in responses; 2 failed requests allow for 20 more";
  expect(compare(1_020, failed)).toEqual({ note });
  expect(compare(1_021, failed)).toHaveProperty("problem");
  expect(compare(999, failed)).toHaveProperty("problem");
});
