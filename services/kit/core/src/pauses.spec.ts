import { expect, test, vi } from "vitest";
import { Pauses } from "./pauses.ts";

test("pauses double up to the longest", async () => {
  const pauses = new Pauses({ firstMs: 4, maxMs: 10 });
  for (const pauseMs of [4, 8, 10, 10]) {
    const startedAt = performance.now();
    expect(await pauses.next()).toBe(true);
    // A timer may be a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(pauseMs - 1);
  }
});

test("pauses end before the time limit", async () => {
  const pauses = new Pauses({ firstMs: 10, forMs: 40 });
  let count = 0;
  while (await pauses.next()) count += 1;
  expect(count).toBeLessThanOrEqual(4);
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
