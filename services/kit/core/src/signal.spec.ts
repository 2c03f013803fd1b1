import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSignal } from "./signal.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a notification wakes all that wait at the time, and none that wait later", async () => {
  const signal = createSignal();
  const woken: string[] = [];
  const wait = (name: string) => signal.wait().then(() => void woken.push(name));
  signal.notify();
  for (const name of ["a", "b"]) void wait(name);
  await turn();
  expect(woken).toEqual([]);
  signal.notify();
  void wait("c");
  await turn();
  expect(woken).toEqual(["a", "b"]);
  signal.notify();
  await turn();
  expect(woken).toEqual(["a", "b", "c"]);
});

test("a wait ends at its timeout", async () => {
  const signal = createSignal();
  const onWoken = vi.fn();
  void signal.wait(100).then(onWoken);
  await vi.advanceTimersByTimeAsync(99);
  expect(onWoken).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onWoken).toHaveBeenCalledOnce();
});

test("a wait that is notified before its timeout leaves no timer", async () => {
  const signal = createSignal();
  const woken = signal.wait(100);
  signal.notify();
  await woken;
  expect(vi.getTimerCount()).toBe(0);
});
