import { expect, test } from "vitest";
import { emptyLoadResult, type PodLoadResult } from "../load/plan.ts";
import { problemOf } from "./failover.ts";

const movedMs = 10_000;

function loadOf(failures: Record<string, number>, lastFailureMs = movedMs): PodLoadResult {
  return { ...emptyLoadResult(), requests: 100, failures, lastFailureMs };
}

test("requests are refused with 503 until the Service leads to the standby", () => {
  const failures = { 'json: 503 {"error":{}}': 3, "live: 503 instead of an upgrade": 1 };
  expect(problemOf(loadOf(failures), movedMs)).toBe("");
});

test.each([
  ["nothing was refused", loadOf({}, 0), "no request was refused"],
  [
    "another failure",
    loadOf({ "json: 500 {}": 1, "json: 503 {}": 2 }),
    "other failures than 503: json: 500 {}",
  ],
  [
    "a refusal 30 s after the move",
    loadOf({ "json: 503 {}": 1 }, movedMs + 30_001),
    "a request was refused 30001 ms after the move",
  ],
])("%s is a problem", (_, load, problem) => {
  expect(problemOf(load, movedMs)).toBe(problem);
});
