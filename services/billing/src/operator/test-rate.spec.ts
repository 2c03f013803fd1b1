import { expect, test } from "vitest";
import { TestRate } from "./test-rate.ts";

test("120 tests of providers run in any minute, and one more is refused with the time to wait", () => {
  let at = 1_000_000;
  const rate = new TestRate(() => new Date(at));
  for (let count = 0; count < 120; count += 1) rate.take();
  at += 30_000;
  expect(() => rate.take()).toThrow(
    expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 30 }),
  );
  at += 30_000;
  expect(() => rate.take()).not.toThrow();
});
