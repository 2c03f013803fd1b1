import { expect, test } from "vitest";
import { jobIdOf } from "./job-id.ts";

test.each<[unknown, string]>([
  ["a", "a"],
  ["x".repeat(512), "x".repeat(512)],
  [0, "0"],
  [71, "71"],
  [9_007_199_254_740_991, "9007199254740991"],
])("%j is a job id", (job_id, text) => {
  expect(jobIdOf({ job_id })).toBe(text);
});

test.each<[unknown]>([
  [undefined],
  [null],
  [""],
  ["a\0b"],
  ["x".repeat(513)],
  [1.5],
  [true],
  [["a"]],
  // Not a safe integer: 2 ** 53 + 1 parses as the same number.
  [2 ** 53],
])("%j is not a job id", (job_id) => {
  expect(() => jobIdOf({ job_id })).toThrow("has no job id");
});
