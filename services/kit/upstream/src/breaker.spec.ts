import { expect, test } from "vitest";
import { createBreakers } from "./breaker.ts";

const slot = "provider/model";

/** Creates breakers with a clock that the test advances. */
function world() {
  let nowMs = 1_000_000;
  const changes: boolean[] = [];
  const breakers = createBreakers(
    () => nowMs,
    (_slot, isOut) => changes.push(isOut),
  );
  return {
    changes,
    breakers,
    pass: (ms: number) => {
      nowMs += ms;
    },
    fail: (times: number) => {
      for (let time = 0; time < times; time += 1) breakers.failed(slot);
    },
  };
}

test("a slot is taken out after five consecutive failures", () => {
  const { breakers, fail } = world();
  fail(4);
  expect(breakers.admits(slot)).toBe(true);
  fail(1);
  expect(breakers.admits(slot)).toBe(false);
});

test("a success resets the count of failures", () => {
  const { breakers, fail } = world();
  fail(4);
  breakers.succeeded(slot);
  fail(4);
  expect(breakers.admits(slot)).toBe(true);
});

test("a slot that is out is not called for a second, then gets one trial call", () => {
  const { breakers, fail, pass } = world();
  fail(5);
  pass(999);
  expect(breakers.admits(slot)).toBe(false);
  pass(1);
  expect(breakers.admits(slot)).toBe(true);
  expect(breakers.admits(slot)).toBe(false);
});

test("a trial call that succeeds brings the slot back and resets its failures", () => {
  const { breakers, fail, pass } = world();
  fail(5);
  pass(1_000);
  breakers.admits(slot);
  breakers.succeeded(slot);
  fail(4);
  expect([breakers.admits(slot), breakers.admits(slot)]).toEqual([true, true]);
});

test("each trial call that fails doubles the pause, up to thirty seconds", () => {
  const { breakers, fail, pass } = world();
  fail(5);
  for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    pass(pauseMs - 1);
    expect(breakers.admits(slot)).toBe(false);
    pass(1);
    expect(breakers.admits(slot)).toBe(true);
    fail(1);
  }
});

test("after a trial call without a result, the next call is the trial call", () => {
  const { breakers, fail, pass } = world();
  fail(5);
  pass(1_000);
  breakers.admits(slot);
  breakers.abandoned(slot);
  expect([breakers.admits(slot), breakers.admits(slot)]).toEqual([true, false]);
});

test("failures of calls that began before the slot was taken out do not double the pause", () => {
  const { breakers, fail, pass } = world();
  fail(9);
  pass(1_000);
  expect(breakers.admits(slot)).toBe(true);
});

test("the failures of one slot do not take another slot out", () => {
  const { breakers, fail } = world();
  fail(5);
  expect(breakers.admits("provider/other")).toBe(true);
  expect(breakers.admits(slot)).toBe(false);
});

test("a slot is reported once when it is taken out, and once when it is brought back", () => {
  const { breakers, changes, pass, fail } = world();
  fail(7);
  expect(changes).toEqual([true]);
  pass(1_000);
  expect(breakers.admits(slot)).toBe(true);
  fail(1);
  expect(changes).toEqual([true]);
  breakers.succeeded(slot);
  breakers.succeeded(slot);
  expect(changes).toEqual([true, false]);
});
