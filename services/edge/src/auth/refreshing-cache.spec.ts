import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRefreshingCache } from "./refreshing-cache.ts";

const ttlMs = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/**
 * A cache over a service that responds at once, or on `respond` while `delayed`. Zero has no TTL.
 */
function createFixture() {
  const service = { value: 1, delayed: false, isDown: false, calls: 0 };
  const pending: (() => void)[] = [];
  const cache = createRefreshingCache<number>({
    async load() {
      service.calls += 1;
      const { value, isDown } = service;
      if (service.delayed) await new Promise<void>((resolve) => pending.push(resolve));
      if (isDown) throw new Error("down");
      return value;
    },
    ttlMs: (value) => (value === 0 ? 0 : ttlMs),
    max: 10,
  });
  const get = async (key = "one") => cache.get(key);
  const advance = (share: number) => vi.advanceTimersByTime(share * ttlMs);
  const respond = async () => {
    pending.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { service, cache, get, advance, respond };
}

test("a value is cached for its TTL, and then loaded again", async () => {
  const { service, get, advance } = createFixture();
  expect([await get(), await get()]).toEqual([1, 1]);
  expect(service.calls).toBe(1);
  service.value = 2;
  advance(1);
  expect([await get(), service.calls]).toEqual([2, 2]);
});

test("a value in use is refreshed in the background, and nobody waits", async () => {
  const { service, cache, get, advance, respond } = createFixture();
  await get();
  Object.assign(service, { value: 2, delayed: true });
  advance(0.6);
  expect([cache.get("one"), cache.get("one"), service.calls]).toEqual([1, 1, 2]);
  await respond();
  expect(cache.get("one")).toBe(2);
  // The TTL counts from the start of the load.
  advance(0.6);
  expect(cache.get("one")).toBe(2);
  advance(0.4);
  expect(cache.get("one")).toBeInstanceOf(Promise);
});

test("concurrent callers share one load", async () => {
  const { service, get, respond } = createFixture();
  service.delayed = true;
  const calls = [get(), get(), get("other")];
  await respond();
  await respond();
  expect(await Promise.all(calls)).toEqual([1, 1, 1]);
  expect(service.calls).toBe(2);
});

test("a value without a TTL is loaded again for callers that came later", async () => {
  const { service, get, respond } = createFixture();
  Object.assign(service, { value: 0, delayed: true });
  const first = get();
  service.value = 3;
  const second = get();
  await respond();
  await respond();
  expect([await first, await second, service.calls]).toEqual([0, 3, 2]);
});

test("a load that fails fails only for the caller that started it", async () => {
  const { service, get, respond } = createFixture();
  Object.assign(service, { isDown: true, delayed: true });
  const failed = expect(get()).rejects.toThrow("down");
  service.isDown = false;
  const others = [get(), get()];
  await respond();
  await respond();
  await failed;
  expect([...(await Promise.all(others)), service.calls]).toEqual([1, 1, 2]);
});

test("a value without a TTL replaces a cached one", async () => {
  const { service, cache, get, advance, respond } = createFixture();
  await get();
  service.value = 0;
  advance(0.6);
  expect(cache.get("one")).toBe(1);
  await respond();
  service.value = 4;
  expect(await get()).toBe(4);
});

test("while the service is down a value is cached to the end of its TTL", async () => {
  const { service, cache, get, advance, respond } = createFixture();
  await get();
  service.isDown = true;
  advance(0.6);
  expect(cache.get("one")).toBe(1);
  await respond();
  expect(cache.get("one")).toBe(1);
  advance(0.4);
  await expect(get()).rejects.toThrow("down");
  service.isDown = false;
  expect(await get()).toBe(1);
});

test("a value that is deleted while it loads is not cached", async () => {
  const { service, cache, get, respond } = createFixture();
  service.delayed = true;
  const first = get();
  cache.delete("one");
  service.value = 2;
  const second = get();
  await respond();
  await respond();
  expect([await first, await second, cache.get("one")]).toEqual([1, 2, 2]);
});

test("values that match are removed, and loads in progress are not cached", async () => {
  const { service, cache, get, respond } = createFixture();
  await get("one");
  service.value = 2;
  await get("two");
  service.delayed = true;
  const loading = get("three");
  cache.deleteWhere((value) => value === 2);
  await respond();
  await loading;
  service.delayed = false;
  for (const key of ["one", "two", "three"]) await get(key);
  expect(service.calls).toBe(5);
});
