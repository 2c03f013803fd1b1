import { PeerError } from "@tollgate/core/errors";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startHealthCheck } from "./health-check.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const missed = async () => {
  throw new PeerError("deadline", "the check took too long");
};

test("a replica without calls is not checked", async () => {
  const check = vi.fn(async () => {});
  const health = startHealthCheck(check);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(check).not.toHaveBeenCalled();
  health.stop();
});

test("the calls of half a second are followed by one check", async () => {
  const check = vi.fn(async () => {});
  const health = startHealthCheck(check);
  for (let call = 0; call < 10; call += 1) health.noteCall();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(check).toHaveBeenCalledTimes(1);
  health.noteCall();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(check).toHaveBeenCalledTimes(2);
  health.stop();
});

test("two checks in a row that miss their deadline make a replica unresponsive, until one does not", async () => {
  const check = vi.fn<() => Promise<void>>();
  const seen: boolean[] = [];
  const health = startHealthCheck(() => {
    seen.push(health.isUnresponsive());
    return check();
  });
  for (let miss = 0; miss < 3; miss += 1) check.mockImplementationOnce(missed);
  check.mockResolvedValueOnce();
  health.noteCall();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(seen).toEqual([false, false, true, true]);
  expect(health.isUnresponsive()).toBe(false);
  health.stop();
});

test("a check that fails in time is a response", async () => {
  const check = vi.fn(async () => {
    throw new PeerError("unavailable", "refused");
  });
  const health = startHealthCheck(check);
  health.noteCall();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(check).toHaveBeenCalledTimes(1);
  expect(health.isUnresponsive()).toBe(false);
  health.stop();
});

test("a stopped check is not repeated", async () => {
  const check = vi.fn(missed);
  const health = startHealthCheck(async () => {
    health.stop();
    return check();
  });
  health.noteCall();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(check).toHaveBeenCalledTimes(1);
});
