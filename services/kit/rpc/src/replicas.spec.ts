import { PeerError } from "@tollgate/core/errors";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
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
  const silent = new Set<string>();
  const opened: string[] = [];
  const retired: string[] = [];
  const found = { targets };
  const names = new Map<Replica, string>();
  const replicas = createReplicas(
    async () => found.targets,
    (target) => {
      opened.push(target);
      const replica = {
        state: () => states.get(target) ?? "ready",
        isSilent: () => silent.has(target),
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
  return { found, states, silent, opened, retired, next, nextFew, replicas };
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

test("no call goes to one that is silent while another that is ready is not", async () => {
  const { states, silent, nextFew } = world("a", "b", "c");
  silent.add("a").add("b");
  expect(await nextFew(3)).toEqual(["c", "c", "c"]);
  states.set("c", "failing");
  expect(await nextFew(4)).toEqual(["a", "a", "b", "b"]);
  silent.delete("b");
  expect(await nextFew(2)).toEqual(["b", "b"]);
});

test("none is opened for addresses that are found once all are closed", async () => {
  const { opened, next, replicas } = world("a");
  const asked = next();
  replicas.close();
  await expect(asked).rejects.toThrow(PeerError);
  expect(opened).toEqual([]);
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
