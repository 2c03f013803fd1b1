import { expect, test } from "vitest";
import { becomesTrue, retry } from "./wait-for.ts";

test("a retry resolves with the first value, and throws the last reason when its time is over", async () => {
  let calls = 0;
  const second = async () => {
    calls += 1;
    if (calls < 2) throw new Error("not yet");
    return calls;
  };
  expect(await retry("a value", 30, second)).toBe(2);
  const fail = async () => Promise.reject(new Error("the pod is pending"));
  await expect(retry("a key", 0, fail)).rejects.toThrow(
    "a key: not within 0 s: the pod is pending",
  );
});

test("a check that stays false is false when its time is over", async () => {
  expect(await becomesTrue(0, async () => true)).toBe(true);
  expect(await becomesTrue(0, async () => false)).toBe(false);
});
