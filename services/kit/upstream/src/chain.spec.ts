import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { GatewayError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { expect, test } from "vitest";
import { LoadBalancer } from "./balance/load-balancer.ts";
import { createBreakers, isDenied } from "./breaker/breaker.ts";
import { walkChain } from "./chain.ts";
import { SlotFailure } from "./failure.ts";

const log = createLog("silent");
const accountId = "acc_1";
const first = slotOf("first");
const second = slotOf("second");

function slotOf(name: string): Slot {
  const free = { picoUsd: 0n, per: 1n };
  return {
    id: `${name}/model`,
    provider: {
      name,
      kind: {} as ProviderKind,
      baseUrl: "http://127.0.0.1",
      baseUrlEnv: undefined,
      apiKeyEnv: undefined,
      timeoutMs: 1_000,
    },
    upstreamModel: "model",
    path: "/chat/completions",
    pricing: { unitType: "tokens", input: free, output: free },
  };
}

/** Creates a chain of two slots. `outcomes` has for each the error that it throws, or "serves". */
function world() {
  const breakers = createBreakers(() => 0);
  const called: string[] = [];
  const passedOver: string[] = [];
  const walk = (...outcomes: (Error | "serves")[]) =>
    walkChain(
      { chain: [first, second] },
      async (slot) => {
        called.push(slot.provider.name);
        const outcome = outcomes[slot === first ? 0 : 1];
        if (outcome instanceof Error) throw outcome;
        return `response of ${slot.provider.name}`;
      },
      {
        breakers,
        balancer: new LoadBalancer(() => 0, Math.random),
        accountId,
        log,
        redact: (_, text) => text.replaceAll("secret", "[key]"),
        onPassedOver: (slot, reason) => passedOver.push(`${slot.provider.name} ${reason}`),
      },
    );
  return { breakers, called, passedOver, walk };
}

const unreachable = () =>
  new SlotFailure("unreachable", "no route to host", { meaning: "unreachable" });
const responded = (status: number, hint?: string) =>
  new SlotFailure("rejected", `HTTP ${status}`, { status, hint });

test("no slot is attempted after one that serves", async () => {
  const { called, walk } = world();
  expect(await walk("serves", "serves")).toEqual({ slot: first, response: "response of first" });
  expect(called).toEqual(["first"]);
});

test.each([
  408, 409, 424, 425, 429, 500, 502, 503, 529,
])("after a response of %d the next slot is attempted", async (status) => {
  const { called, walk } = world();
  expect(await walk(responded(status), "serves")).toEqual({
    slot: second,
    response: "response of second",
  });
  expect(called).toEqual(["first", "second"]);
});

test("after a slot that cannot be reached, or sends an invalid response, the next is attempted", async () => {
  const invalid = new SlotFailure("rejected", "the provider's response is not JSON");
  expect((await world().walk(unreachable(), "serves")).slot).toBe(second);
  expect((await world().walk(invalid, "serves")).slot).toBe(second);
});

test.each([
  401, 402, 403, 404, 410,
])("after a response of %d, which is about the slot, the next is attempted", async (status) => {
  expect((await world().walk(responded(status), "serves")).slot).toBe(second);
});

test.each([400, 413, 422])("after a response of %d no other slot is attempted", async (status) => {
  const { called, passedOver, walk } = world();
  await expect(walk(responded(status), "serves")).rejects.toMatchObject({
    code: "upstream_rejected",
    status: 502,
  });
  expect(called).toEqual(["first"]);
  expect(passedOver).toEqual(["second refused"]);
});

test("the error is a 503 when no slot could be reached", async () => {
  await expect(world().walk(unreachable(), unreachable())).rejects.toMatchObject({
    code: "no_provider_available",
    status: 503,
  });
});

test.each([
  ["first", [responded(500), unreachable()]],
  ["last", [unreachable(), responded(500)]],
] as const)("the error is a 502 when the %s slot responded", async (_, outcomes) => {
  await expect(world().walk(...outcomes)).rejects.toMatchObject({
    code: "upstream_rejected",
    status: 502,
  });
});

test.each([
  [400, true],
  [401, true],
  [404, true],
  [422, true],
  [408, false],
  [409, false],
  [425, false],
  [302, false],
  [500, false],
])("a chain that ends with a response of %d is permanent: %s", async (status, isPermanent) => {
  const walking = world().walk(responded(500), responded(status));
  await expect(walking).rejects.toMatchObject({ code: "upstream_rejected", isPermanent });
});

test("the error has the provider's message about the request, and not the slot failure's", async () => {
  const { walk } = world();
  const error: unknown = await walk(responded(400, "temperature is too high")).catch((e) => e);
  expect(error).toBeInstanceOf(GatewayError);
  expect((error as GatewayError).message).toContain("temperature is too high");
  expect((error as GatewayError).message).not.toContain("HTTP 400");
});

test("any other error than a SlotFailure is thrown unchanged, and no other slot is attempted", async () => {
  const { called, walk } = world();
  const disconnected = new Error("the client disconnected");
  await expect(walk(disconnected, "serves")).rejects.toBe(disconnected);
  expect(called).toEqual(["first"]);
});

test("a slot that fails repeatedly is skipped, and the error is a 503 when all are out", async () => {
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

test.each([400, 409, 425])("a response of %d does not count against its slot", async (status) => {
  const { called, walk } = world();
  for (let time = 0; time < 10; time += 1) {
    await walk(responded(status), "serves").catch(() => undefined);
  }
  expect(called.filter((name) => name === "first")).toHaveLength(10);
});

test("when the client disconnects during a trial call, the next call is the trial call", async () => {
  let nowMs = 0;
  const breakers = createBreakers(() => nowMs);
  for (let time = 0; time < 5; time += 1) {
    breakers.failed(first, accountId, breakers.admit(first, accountId), responded(500));
  }
  nowMs = 1_000;
  const disconnected = new Error("the client disconnected");
  const balancer = new LoadBalancer(() => 0, Math.random);
  const options = { breakers, balancer, accountId, log, redact: (_: Slot, text: string) => text };
  const walk = walkChain({ chain: [first] }, () => Promise.reject(disconnected), options);
  await expect(walk).rejects.toBe(disconnected);
  expect(isDenied(breakers.admit(first, accountId))).toBe(false);
});

test("after an unusable response the next slot is attempted, and the slot is not taken out", async () => {
  const { breakers, called, walk } = world();
  const unusable = new SlotFailure("unusable", "no image");
  for (let round = 0; round < 20; round += 1) {
    expect(await walk(unusable, "serves")).toMatchObject({ slot: second });
  }
  expect(isDenied(breakers.admit(first, accountId))).toBe(false);
  expect(called).toHaveLength(40);
  await expect(walk(unusable, unusable)).rejects.toMatchObject({ code: "upstream_rejected" });
});

test("after an oversized response no other slot is attempted, and the slot is not taken out", async () => {
  const { breakers, called, walk } = world();
  const oversized = new SlotFailure("oversized", "too large");
  for (let round = 0; round < 20; round += 1) {
    await expect(walk(oversized, "serves")).rejects.toMatchObject({
      code: "upstream_rejected",
      message: expect.stringContaining("larger"),
    });
  }
  expect(isDenied(breakers.admit(first, accountId))).toBe(false);
  expect(called).toHaveLength(20);
});

const limited = (retryAfterMs?: number) =>
  new SlotFailure("rejected", "HTTP 429", { status: 429, retryAfterMs });

test.each([
  ["limit", [limited(20_000), limited(7_001)], 8],
  ["limit or are overloaded", [limited(600_000), responded(529)], 60],
  ["limit or cannot be reached", [limited(2_000), unreachable()], 2],
  ["are overloaded", [responded(503), responded(529)], undefined],
] as const)("the error is a 503 with the shortest time where all slots %s", async (_, outcomes, retryAfterSeconds) => {
  await expect(world().walk(...outcomes)).rejects.toMatchObject({
    code: "no_provider_available",
    retryAfterSeconds,
  });
});

test("a slot that limits requests is not called again, and the error says when it will be", async () => {
  const { called, walk } = world();
  expect((await walk(limited(7_000), "serves")).slot).toBe(second);
  called.length = 0;
  expect((await walk("serves", "serves")).slot).toBe(second);
  await expect(walk("serves", limited(9_000))).rejects.toMatchObject({ retryAfterSeconds: 7 });
  await expect(walk("serves", "serves")).rejects.toMatchObject({ retryAfterSeconds: 7 });
  expect(called).toEqual(["second", "second"]);
});

test("clients and operators see what a provider says without its credentials", async () => {
  const hint = "secret is not valid: secret";
  await expect(world().walk(responded(400, hint))).rejects.toMatchObject({
    message: expect.stringContaining("[key] is not valid: [key]"),
  });
});

test("a request that is too large for a slot is refused for good where no other takes it", async () => {
  const tooLarge = () => new SlotFailure("rejected", "no", { status: 429, meaning: "too_large" });
  expect((await world().walk(tooLarge(), "serves")).slot).toBe(second);
  await expect(world().walk(tooLarge(), tooLarge())).rejects.toMatchObject({
    code: "upstream_rejected",
    isPermanent: true,
  });
});
