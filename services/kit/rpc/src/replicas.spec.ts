import { PeerError } from "@tollgate/core/errors";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Replica } from "./replica.ts";
import { createReplicas } from "./replicas.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Creates replicas in the states that a test sets, behind targets that it may change. */
function setUp(...targets: string[]) {
  const states = new Map<string, ReturnType<Replica["state"]>>();
  const unresponsive = new Set<string>();
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
        isUnresponsive: () => unresponsive.has(target),
        async changed() {
          if (states.get(target) === "draining") await new Promise(() => {});
          states.set(target, "ready");
        },
        retire: () => retired.push(target),
        close: () => {},
      } as unknown as Replica;
      names.set(replica, target);
      return replica;
    },
  );
  const next = async (timeoutMs = 1_000) => names.get(await replicas.next(timeoutMs));
  const nextOf = async (count: number) => {
    const targets: unknown[] = [];
    while (targets.length < count) targets.push(await next());
    return targets.sort();
  };
  return { found, states, unresponsive, opened, retired, next, nextOf, replicas };
}

test("calls go to the replicas in turn", async () => {
  const { nextOf } = setUp("a", "b", "c");
  expect(await nextOf(6)).toEqual(["a", "a", "b", "b", "c", "c"]);
});

test("no call goes to a replica that is not ready while another is", async () => {
  const { states, nextOf } = setUp("a", "b", "c", "d");
  states.set("a", "draining").set("b", "connecting").set("c", "failing");
  expect(await nextOf(3)).toEqual(["d", "d", "d"]);
});

test("no call goes to an unresponsive replica while another that is ready responds", async () => {
  const { states, unresponsive, nextOf } = setUp("a", "b", "c");
  unresponsive.add("a").add("b");
  expect(await nextOf(3)).toEqual(["c", "c", "c"]);
  states.set("c", "failing");
  expect(await nextOf(4)).toEqual(["a", "a", "b", "b"]);
  unresponsive.delete("b");
  expect(await nextOf(2)).toEqual(["b", "b"]);
});

test("a lookup that ends after the transport was closed opens no replica", async () => {
  const { opened, next, replicas } = setUp("a");
  const pending = next();
  replicas.close();
  await expect(pending).rejects.toThrow(PeerError);
  expect(opened).toEqual([]);
});

test("a call waits while no replica is connected, and uses any once its time is up", async () => {
  const { states, next } = setUp("a");
  states.set("a", "connecting");
  expect(await next(0)).toBe("a");
  expect(states.get("a")).toBe("connecting");
  for (const state of ["connecting", "failing"] as const) {
    states.set("a", state);
    expect(await next()).toBe("a");
    expect(states.get("a")).toBe("ready");
  }
});

test("a new replica gets calls within 5 s, and one that is gone is retired", async () => {
  const { found, retired, nextOf } = setUp("a", "b");
  await nextOf(1);
  found.targets = ["b", "c"];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await nextOf(4)).toEqual(["b", "b", "c", "c"]);
  expect(retired).toEqual(["a"]);
});

test("replicas stay when a lookup of their name fails", async () => {
  const { found, retired, nextOf } = setUp("a");
  await nextOf(1);
  found.targets = [];
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await nextOf(1)).toEqual(["a"]);
  expect(retired).toEqual([]);
});

test("a leaving replica gets calls only while there is no other", async () => {
  const { states, nextOf } = setUp("a", "b");
  states.set("a", "leaving");
  expect(await nextOf(2)).toEqual(["b", "b"]);
  states.set("b", "failing");
  expect(await nextOf(2)).toEqual(["a", "a"]);
});

test("the name is looked up again within a second after a replica was found to be leaving", async () => {
  const { found, states, nextOf } = setUp("a", "b");
  await nextOf(1);
  states.set("a", "leaving");
  found.targets = ["a", "b", "c"];
  await vi.waitFor(async () => expect(await nextOf(4)).toContain("c"), { timeout: 4_000 });
});

test("a call that no known replica accepts waits for one that a new lookup finds", async () => {
  const { found, states, next } = setUp("a");
  await next();
  states.set("a", "draining");
  found.targets = ["b"];
  expect(await next(4_000)).toBe("b");
});

test("a service that has no address is unavailable", async () => {
  const { next } = setUp();
  await expect(next()).rejects.toThrow(PeerError);
});
