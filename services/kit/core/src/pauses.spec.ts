import { expect, test, vi } from "vitest";
import { Pauses } from "./pauses.ts";

test("pauses double up to the longest, and end before the time limit", async () => {
  const slept: number[] = [];
  const pauses = new Pauses({ firstMs: 4, maxMs: 10, forMs: 40 });
  for (let startedAt = performance.now(); await pauses.next(); startedAt = performance.now()) {
    slept.push(performance.now() - startedAt);
  }
  const [first = 0, second = 0, third = 0] = slept;
  expect(slept.length).toBeLessThanOrEqual(4);
  expect(first).toBeGreaterThanOrEqual(3);
  expect(second).toBeGreaterThanOrEqual(7);
  expect(third).toBeGreaterThanOrEqual(9);
});

test("a pause that would end after the time limit is not begun", async () => {
  const startedAt = performance.now();
  expect(await new Pauses({ firstMs: 10_000, forMs: 9_999 }).next()).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test("a signal ends a pause", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const pausing = new Pauses({ firstMs: 60_000, signal }).next();
  const rejected = vi.fn();
  void pausing.catch(rejected);
  controller.abort();
  await expect(pausing).rejects.toThrow("aborted");
});
