import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renewLeases } from "./lease-renewal.ts";

const leaseMs = 30_000;
const checkEveryMs = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function world() {
  const renewed: string[][] = [];
  const renew = vi.fn(async (held: readonly string[]) => void renewed.push([...held]));
  const onFailure = vi.fn();
  const leases = renewLeases(renew, { checkEveryMs, onFailure });
  return { renewed, renew, onFailure, leases };
}

test("the leases that are due are renewed together, a third of their time after they began", async () => {
  const { leases, renewed } = world();
  leases.begin("one", leaseMs);
  leases.begin("two", leaseMs);
  leases.begin("longer", 3 * leaseMs);
  await vi.advanceTimersByTimeAsync(leaseMs / 3 - 1);
  expect(renewed).toEqual([]);
  await vi.advanceTimersByTimeAsync(checkEveryMs);
  expect(renewed).toEqual([["one", "two"]]);
  await vi.advanceTimersByTimeAsync(leaseMs / 3 + checkEveryMs);
  expect(renewed).toEqual([
    ["one", "two"],
    ["one", "two"],
  ]);
});

test("a lease that has ended is not renewed, and without leases no timer runs", async () => {
  const { leases, renewed } = world();
  const lease = leases.begin("one", leaseMs);
  expect(leases.size()).toBe(1);
  leases.end(lease);
  leases.end(lease);
  expect(leases.size()).toBe(0);
  await vi.advanceTimersByTimeAsync(leaseMs);
  expect(renewed).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a renewal that fails is repeated at the next check", async () => {
  const { leases, renewed, renew, onFailure } = world();
  const down = new Error("down");
  renew.mockRejectedValueOnce(down);
  leases.begin("one", leaseMs);
  await vi.advanceTimersByTimeAsync(leaseMs / 3);
  expect(onFailure).toHaveBeenCalledWith(1, down);
  await vi.advanceTimersByTimeAsync(checkEveryMs);
  expect(renewed).toEqual([["one"]]);
});

test("a renewal that hangs delays no other", async () => {
  const { leases, renewed, renew } = world();
  renew.mockReturnValueOnce(new Promise(() => {}));
  leases.begin("one", leaseMs);
  await vi.advanceTimersByTimeAsync(leaseMs / 3);
  await vi.advanceTimersByTimeAsync(leaseMs / 3 + checkEveryMs);
  expect(renewed).toEqual([["one"]]);
});

test("after stopping, no lease is renewed", async () => {
  const { leases, renewed } = world();
  leases.begin("one", leaseMs);
  leases.stop();
  await vi.advanceTimersByTimeAsync(leaseMs);
  expect(renewed).toEqual([]);
});
