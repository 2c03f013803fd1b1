import { expect, test } from "vitest";
import { formatDuration, headersOfRates } from "./rate-headers.ts";

test.each([
  [0, "0ms"],
  [11.2, "12ms"],
  [999, "999ms"],
  [1_000, "1s"],
  [1_001, "2s"],
  [59_000, "59s"],
  [59_001, "1m0s"],
  [360_000, "6m0s"],
  [361_500, "6m2s"],
])("%d ms are formatted as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test("only the rates that are limited have headers, and nothing is less than zero", () => {
  expect(headersOfRates({})).toEqual({});
  const requests = { limit: 60n, remaining: -1n, resetMs: 1_500 };
  expect(headersOfRates({ requests })).toEqual({
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": "2s",
  });
});
