import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PeerError } from "../errors.ts";
import type { Replica } from "./replica.ts";
import { createReplicas } from "./replicas.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Replicas that are as they are told to be, behind addresses that may change. */
function world(...targets: string[]) {
  const states = new Map<string, ReturnType<Replica["state"]>>();
  const loads = new Map<string, number>();
  const retired: string[] = [];
  const found = { targets };
  const names = new Map<Replica, string>();
  const replicas = createReplicas(
    async () => found.targets,
    (target) => {
      const replica = {
        state: () => states.get(target) ?? "ready",
        load: () => loads.get(target) ?? 0,
        changed: async () => void states.set(target, "ready"),
        retire: () => retired.push(target),
        close: () => {},
      } as unknown as Replica;
      names.set(replica, target);
      return replica;
    },
  );
  const next = async (patienceMs = 1_000) => names.get(await replicas.next(patienceMs));
  const nextFew = async (count: number) => {
    const few: unknown[] = [];
    while (few.length < count) few.push(await next());
    return few.sort();
  };
  return { found, states, loads, retired, next, nextFew };
}

test("calls go to the replicas in turn", async () => {
  const { nextFew } = world("a", "b", "c");
  expect(await nextFew(6)).toEqual(["a", "a", "b", "b", "c", "c"]);
});

test("no call goes to one that is not ready while another is", async () => {
  const { states, nextFew } = world("a", "b", "c", "d");
  states.set("a", "refusing").set("b", "connecting").set("c", "failing");
  expect(await nextFew(3)).toEqual(["d", "d", "d"]);
});

test("one that answers nothing gets few calls while the others answer theirs", async () => {
  const { loads, next } = world("a", "b", "c");
  loads.set("b", 4).set("c", 6);
  for (let call = 0; call < 300; call += 1) {
    if ((await next()) === "a") loads.set("a", (loads.get("a") ?? 0) + 1);
  }
  expect(loads.get("a")).toBe(19);
  loads.set("b", 40).set("c", 40);
  expect(await Promise.all([next(), next(), next()])).toContain("a");
});

test("however busy they are, one gets the call", async () => {
  const { states, loads, nextFew } = world("a", "b");
  loads.set("a", 900).set("b", 1_000);
  expect(await nextFew(2)).toEqual(["a", "b"]);
  loads.set("a", 100);
  expect(await nextFew(2)).toEqual(["a", "a"]);
  states.set("a", "failing");
  expect(await nextFew(2)).toEqual(["b", "b"]);
});

test("where none is connected, one is waited for, and with no patience any is asked", async () => {
  const { states, next } = world("a");
  states.set("a", "connecting");
  expect(await next(0)).toBe("a");
  expect(states.get("a")).toBe("connecting");
  for (const state of ["connecting", "failing"] as const) {
    states.set("a", state);
    expect(await next()).toBe("a");
    expect(states.get("a")).toBe("ready");
  }
});

test("a replica that is added gets calls within 30 s, and one that has gone is retired", async () => {
  const { found, retired, nextFew } = world("a", "b");
  await nextFew(1);
  found.targets = ["b", "c"];
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await nextFew(4)).toEqual(["b", "b", "c", "c"]);
  expect(retired).toEqual(["a"]);
});

test("replicas stay when their name cannot be looked up", async () => {
  const { found, retired, nextFew } = world("a");
  await nextFew(1);
  found.targets = [];
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await nextFew(1)).toEqual(["a"]);
  expect(retired).toEqual([]);
});

test("addresses are looked up again soon where no replica is ready", async () => {
  const { found, states, nextFew } = world("a");
  await nextFew(1);
  states.set("a", "refusing");
  found.targets = ["b"];
  await vi.advanceTimersByTimeAsync(1_001);
  await nextFew(1);
  expect(await nextFew(1)).toEqual(["b"]);
});

test("a service that has no address is unavailable", async () => {
  const { next } = world();
  await expect(next()).rejects.toThrow(PeerError);
});
