import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { expect, test } from "vitest";
import { createFreeCalls } from "./free-calls.ts";

function createFixture(requestsPerMinute: number | undefined) {
  let nowMs = 0;
  const metrics = createMetrics();
  const calls = createFreeCalls({ metrics, nowMs: () => nowMs });
  /** Returns how many of so many calls were let through. */
  const make = (count: number, keyId = "key") => {
    let made = 0;
    for (let index = 0; index < count; index += 1) {
      try {
        calls.count({ keyId, requestsPerMinute });
        made += 1;
      } catch {
        // Counted by its absence.
      }
    }
    return made;
  };
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { calls, make, metrics, wait };
}

test("a key without a limit of requests makes 600 free calls a minute, and then one each 100 ms", () => {
  const { make, wait } = createFixture(undefined);
  expect(make(700)).toBe(600);
  wait(1_000);
  expect(make(700)).toBe(10);
  wait(600_000);
  expect(make(700)).toBe(600);
});

test("a key makes ten free calls for each request of its limit", () => {
  const { make } = createFixture(3);
  expect(make(100)).toBe(30);
  expect(make(100, "other")).toBe(30);
});

test("the refusal says when to retry, and is counted", async () => {
  const { calls, make, metrics } = createFixture(1);
  make(10);
  expect(() => calls.count({ keyId: "key", requestsPerMinute: 1 })).toThrow(
    expect.objectContaining({
      code: "rate_limited",
      message: "This key may make 10 free calls a minute. Retry in a moment.",
      retryAfterSeconds: 6,
    }),
  );
  const { values } = await metrics.limitRefusals.get();
  expect(values).toMatchObject([{ labels: { limit: "free_calls" }, value: 1 }]);
});

test("a key whose limit is zero makes no free call", () => {
  expect(createFixture(0).make(5)).toBe(0);
});
