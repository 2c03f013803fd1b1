import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { repeat } from "./repeat.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A task whose runs end when the test ends them. */
function slowTask() {
  let running: PromiseWithResolvers<void> | undefined;
  const run = vi.fn(() => {
    expect(running, "runs overlap").toBeUndefined();
    running = Promise.withResolvers();
    return running.promise;
  });
  const end = async () => {
    running?.resolve();
    running = undefined;
    await vi.advanceTimersByTimeAsync(0);
  };
  return { run, end };
}

test("a task runs after each pause, which begins when the run before it has ended", async () => {
  const { run, end } = slowTask();
  repeat(run, { everyMs: 100 });
  await vi.advanceTimersByTimeAsync(99);
  expect(run).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(run).toHaveBeenCalledTimes(1);
  await end();
  await vi.advanceTimersByTimeAsync(99);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(2);
});

test("a task that is woken runs at once, and once more after the run in progress", async () => {
  const { run, end } = slowTask();
  const task = repeat(run, { everyMs: 100 });
  task.wake();
  expect(run).toHaveBeenCalledTimes(1);
  task.wake();
  task.wake();
  task.resume();
  await end();
  expect(run).toHaveBeenCalledTimes(2);
  await end();
  await vi.advanceTimersByTimeAsync(99);
  expect(run).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(3);
});

test("an idle task has no timer until it is resumed", async () => {
  let left = 0;
  const run = vi.fn(() => {
    left -= 1;
  });
  const task = repeat(run, { everyMs: 100, isIdle: () => left <= 0 });
  expect(vi.getTimerCount()).toBe(0);
  left = 2;
  task.resume();
  task.resume();
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(run).toHaveBeenCalledTimes(2);
  expect(vi.getTimerCount()).toBe(0);
});

test("a pause may change from run to run", async () => {
  let everyMs = 100;
  const run = vi.fn(() => {
    everyMs *= 10;
  });
  repeat(run, { everyMs: () => everyMs });
  await vi.advanceTimersByTimeAsync(100);
  await vi.advanceTimersByTimeAsync(999);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(2);
});

test("stopping waits for the run in progress, and no run follows", async () => {
  const { run, end } = slowTask();
  const task = repeat(run, { everyMs: 100 });
  task.wake();
  task.wake();
  const stopped = vi.fn();
  void task.stop().then(stopped);
  void task.stop().then(stopped);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stopped).not.toHaveBeenCalled();
  await end();
  expect(stopped).toHaveBeenCalledTimes(2);
  task.wake();
  task.resume();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(run).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("a task that is stopped during its pause does not run", async () => {
  const run = vi.fn();
  await repeat(run, { everyMs: 100 }).stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(run).not.toHaveBeenCalled();
});
