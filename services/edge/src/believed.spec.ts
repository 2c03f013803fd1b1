import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBelieved } from "./believed.ts";

const ms = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A service that answers when it is told to, at once unless `held`; zero is not believed. */
function world() {
  const service = { says: 1, held: false, isAway: false, asked: 0 };
  const answers: (() => void)[] = [];
  const believed = createBelieved<number>({
    async ask() {
      service.asked += 1;
      const { says, isAway } = service;
      if (service.held) await new Promise<void>((resolve) => answers.push(resolve));
      if (isAway) throw new Error("away");
      return says;
    },
    believedMs: (value) => (value === 0 ? 0 : ms),
    max: 10,
  });
  const get = async (name = "one") => believed.get(name);
  const later = (part: number) => vi.advanceTimersByTime(part * ms);
  const answer = async () => {
    answers.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { service, believed, get, later, answer };
}

test("an answer is believed for its time, and then asked for", async () => {
  const { service, get, later } = world();
  expect([await get(), await get()]).toEqual([1, 1]);
  expect(service.asked).toBe(1);
  service.says = 2;
  later(1);
  expect([await get(), service.asked]).toEqual([2, 2]);
});

test("one that is in use is renewed meanwhile, and nobody waits", async () => {
  const { service, believed, get, later, answer } = world();
  await get();
  Object.assign(service, { says: 2, held: true });
  later(0.6);
  expect([believed.get("one"), believed.get("one"), service.asked]).toEqual([1, 1, 2]);
  await answer();
  expect(believed.get("one")).toBe(2);
  // For as long as from when it was asked for.
  later(0.6);
  expect(believed.get("one")).toBe(2);
  later(0.4);
  expect(believed.get("one")).toBeInstanceOf(Promise);
});

test("those who wait, wait for one answer", async () => {
  const { service, get, answer } = world();
  service.held = true;
  const asked = [get(), get(), get("other")];
  await answer();
  await answer();
  expect(await Promise.all(asked)).toEqual([1, 1, 1]);
  expect(service.asked).toBe(2);
});

test("what is not believed is asked for by each who came later", async () => {
  const { service, get, answer } = world();
  Object.assign(service, { says: 0, held: true });
  const first = get();
  service.says = 3;
  const second = get();
  await answer();
  await answer();
  expect([await first, await second, service.asked]).toEqual([0, 3, 2]);
});

test("a question that fails fails for him alone who asked it", async () => {
  const { service, get, answer } = world();
  Object.assign(service, { isAway: true, held: true });
  const failed = expect(get()).rejects.toThrow("away");
  service.isAway = false;
  const others = [get(), get()];
  await answer();
  await answer();
  await failed;
  expect([...(await Promise.all(others)), service.asked]).toEqual([1, 1, 2]);
});

test("an answer that is not believed takes the place of one that was", async () => {
  const { service, believed, get, later, answer } = world();
  await get();
  service.says = 0;
  later(0.6);
  expect(believed.get("one")).toBe(1);
  await answer();
  service.says = 4;
  expect(await get()).toBe(4);
});

test("without the service an answer is believed to the end of its time", async () => {
  const { service, believed, get, later, answer } = world();
  await get();
  service.isAway = true;
  later(0.6);
  expect(believed.get("one")).toBe(1);
  await answer();
  expect(believed.get("one")).toBe(1);
  later(0.4);
  await expect(get()).rejects.toThrow("away");
  service.isAway = false;
  expect(await get()).toBe(1);
});

test("what is to be forgotten is not kept when it is answered later", async () => {
  const { service, believed, get, answer } = world();
  service.held = true;
  const first = get();
  believed.forget("one");
  service.says = 2;
  const second = get();
  await answer();
  await answer();
  expect([await first, await second, believed.get("one")]).toEqual([1, 2, 2]);
});
