import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { becomesTrue, retry } from "./wait-for.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("a retry resolves with the first value", async () => {
  const action = vi.fn(async () => 2).mockRejectedValueOnce(new Error("not yet"));
  const value = retry("a value", 30, action);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await value).toBe(2);
});

test("a retry throws the last reason when its time is over", async () => {
  const fail = async () => Promise.reject(new Error("the pod is pending"));
  const reason = "a key: not within 30 s: the pod is pending";
  const failed = expect(retry("a key", 30, fail)).rejects.toThrow(reason);
  await vi.advanceTimersByTimeAsync(32_000);
  await failed;
});

test("a check is true as soon as it holds, and false when its time is over", async () => {
  const becoming = vi.fn(async () => true).mockResolvedValueOnce(false);
  const checks = [becomesTrue(30, becoming), becomesTrue(30, async () => false)];
  await vi.advanceTimersByTimeAsync(32_000);
  expect(await Promise.all(checks)).toEqual([true, false]);
  expect(becoming).toHaveBeenCalledTimes(2);
});
