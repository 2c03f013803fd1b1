import type { Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { expect, test } from "vitest";
import { createBreakers } from "./breaker.ts";
import { walkChain } from "./chain.ts";
import { SlotFailure } from "./failure.ts";

const log = createLog("silent");
const first = slotOf("first");
const second = slotOf("second");

function slotOf(name: string): Slot {
  const free = { picoUsd: 0n, per: 1n };
  return {
    id: `${name}/model`,
    provider: {
      name,
      baseUrl: "http://127.0.0.1",
      baseUrlEnv: undefined,
      apiKeyEnv: undefined,
      timeoutMs: 1_000,
    },
    upstreamModel: "model",
    path: "/chat/completions",
    pricing: { input: free, cachedInput: undefined, output: free },
  };
}

/** Walks both slots; each does as `fates` says: fails with an error, or serves. */
function world() {
  const breakers = createBreakers(() => 0);
  const called: string[] = [];
  const walk = (...fates: (Error | "serves")[]) =>
    walkChain(
      [first, second],
      async (slot) => {
        called.push(slot.provider.name);
        const fate = fates[slot === first ? 0 : 1];
        if (fate instanceof Error) throw fate;
        return `answer of ${slot.provider.name}`;
      },
      { breakers, log },
    );
  return { breakers, called, walk };
}

const unreachable = () => new SlotFailure("unreachable", "no route to host");
const answered = (status: number, hint?: string) =>
  new SlotFailure("rejected", `HTTP ${status}`, { status, hint });

test("the first slot that serves ends the walk", async () => {
  const { called, walk } = world();
  expect(await walk("serves", "serves")).toEqual({ slot: first, response: "answer of first" });
  expect(called).toEqual(["first"]);
});

test.each([
  408, 409, 425, 429, 500, 502, 503, 529,
])("a provider's %d passes on to the next slot", async (status) => {
  const { called, walk } = world();
  expect(await walk(answered(status), "serves")).toEqual({
    slot: second,
    response: "answer of second",
  });
  expect(called).toEqual(["first", "second"]);
});

test("a slot that cannot be reached, or answers no sense, passes on to the next", async () => {
  const senseless = new SlotFailure("rejected", "the provider's answer is no JSON");
  expect((await world().walk(unreachable(), "serves")).slot).toBe(second);
  expect((await world().walk(senseless, "serves")).slot).toBe(second);
});

test.each([
  400, 401, 404, 413, 422,
])("a %d fails everywhere: no other slot is tried", async (status) => {
  const { called, walk } = world();
  await expect(walk(answered(status), "serves")).rejects.toMatchObject({
    code: "upstream_rejected",
    status: 502,
  });
  expect(called).toEqual(["first"]);
});

test("503 when no slot could be reached", async () => {
  await expect(world().walk(unreachable(), unreachable())).rejects.toMatchObject({
    code: "no_provider_available",
    status: 503,
  });
});

test.each([
  ["first", [answered(500), unreachable()]],
  ["last", [unreachable(), answered(500)]],
] as const)("502 when a slot answered, the %s one", async (_, fates) => {
  await expect(world().walk(...fates)).rejects.toMatchObject({
    code: "upstream_rejected",
    status: 502,
  });
});

test("the client reads what the provider said, where that helps, and no slot's own message", async () => {
  const { walk } = world();
  const error: unknown = await walk(answered(400, "temperature is too high")).catch((e) => e);
  expect(error).toBeInstanceOf(GatewayError);
  expect((error as GatewayError).message).toContain("temperature is too high");
  expect((error as GatewayError).message).not.toContain("HTTP 400");
});

test("what is no slot's failure ends the walk as it is", async () => {
  const { called, walk } = world();
  const left = new Error("the client left");
  await expect(walk(left, "serves")).rejects.toBe(left);
  expect(called).toEqual(["first"]);
});

test("a slot that keeps failing is skipped, and 503 is the answer when all are out", async () => {
  const { called, walk } = world();
  for (let time = 0; time < 5; time += 1) await walk(unreachable(), "serves");
  called.length = 0;
  expect((await walk("serves", "serves")).slot).toBe(second);
  for (let time = 0; time < 5; time += 1) {
    await walk("serves", unreachable()).catch(() => undefined);
  }
  called.length = 0;
  await expect(walk("serves", "serves")).rejects.toMatchObject({ code: "no_provider_available" });
  expect(called).toEqual([]);
});

test.each([400, 409, 425])("a %d does not speak against its slot", async (status) => {
  const { called, walk } = world();
  for (let time = 0; time < 10; time += 1) {
    await walk(answered(status), "serves").catch(() => undefined);
  }
  expect(called.filter((name) => name === "first")).toHaveLength(10);
});

test("a client that leaves says nothing of the slot: the trial call stays open", async () => {
  let nowMs = 0;
  const breakers = createBreakers(() => nowMs);
  for (let time = 0; time < 5; time += 1) breakers.failed(first.id);
  nowMs = 1_000;
  const left = new Error("the client left");
  const walk = walkChain([first], () => Promise.reject(left), { breakers, log });
  await expect(walk).rejects.toBe(left);
  expect(breakers.admits(first.id)).toBe(true);
});

test("an answer that does not suit this request passes on, and does not speak against its slot", async () => {
  const { breakers, called, walk } = world();
  const unusable = new SlotFailure("unusable", "no image");
  for (let round = 0; round < 20; round += 1) {
    expect(await walk(unusable, "serves")).toMatchObject({ slot: second });
  }
  expect(breakers.admits(first.id)).toBe(true);
  expect(called).toHaveLength(40);
  await expect(walk(unusable, unusable)).rejects.toMatchObject({ code: "upstream_rejected" });
});

test("an answer that is too large anywhere ends the walk, and does not speak against its slot", async () => {
  const { breakers, called, walk } = world();
  const oversized = new SlotFailure("oversized", "too large");
  for (let round = 0; round < 20; round += 1) {
    await expect(walk(oversized, "serves")).rejects.toMatchObject({
      code: "upstream_rejected",
      message: expect.stringContaining("larger"),
    });
  }
  expect(breakers.admits(first.id)).toBe(true);
  expect(called).toHaveLength(20);
});
