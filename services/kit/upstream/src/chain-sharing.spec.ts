import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { createLog } from "@tollgate/core/log";
import { describe, expect, test, vi } from "vitest";
import { LoadBalancer } from "./balance/load-balancer.ts";
import type { SlotUse } from "./balance/slot-load.ts";
import { createBreakers } from "./breaker/breaker.ts";
import { type ChainOptions, type WalkedChain, walkChain } from "./chain.ts";
import { SlotFailure, type SlotFailureDetails } from "./failure.ts";

const kind = { variables: undefined } as ProviderKind;

function slotOf(name: string, more: Partial<Slot> = {}): Slot {
  return { id: `${name}/model`, provider: { name, kind }, ...more } as Slot;
}

/** Walks chains whose slots fail as their `outcomes` say, one for each call of a slot; then they serve. */
function world(outcomes: Record<string, (SlotFailureDetails | "serves")[]> = {}) {
  const called: string[] = [];
  const passedOver: string[] = [];
  const common = {
    breakers: createBreakers(() => 0),
    balancer: new LoadBalancer(() => 0, Math.random),
    accountId: "acct",
    log: createLog("silent"),
    redact: (_: Slot, text: string) => text,
    onPassedOver: (slot: Slot, reason: string) =>
      passedOver.push(`${slot.provider.name} ${reason}`),
  };
  const attempt = async ({ provider: { name } }: Slot) => {
    called.push(name);
    const outcome = outcomes[name]?.shift() ?? "serves";
    if (outcome === "serves") return `response of ${name}`;
    throw new SlotFailure(outcome.status === undefined ? "unreachable" : "rejected", "no", outcome);
  };
  const walk = (model: WalkedChain, more: Partial<ChainOptions> = {}) =>
    walkChain(model, attempt, { ...common, ...more });
  return { called, passedOver, walk };
}

describe("a slot that has reached a limit", () => {
  const full = { chain: [slotOf("near", { limits: { parallel: 1 } }), slotOf("far")] };

  test("is passed over until a call that it serves has ended", async () => {
    const { called, passedOver, walk } = world();
    const uses: SlotUse[] = [];
    const keepUse = (use: SlotUse) => void uses.push(use);
    for (let request = 0; request < 2; request += 1) await walk(full, { keepUse });
    uses[0]?.end();
    await walk(full, { keepUse });
    expect(called).toEqual(["near", "far", "near"]);
    expect(passedOver).toEqual(["near full"]);
  });

  test("takes calls again after one that failed", async () => {
    const { called, walk } = world({ near: [{ status: 500 }] });
    await walk(full);
    await walk(full);
    expect(called).toEqual(["near", "far", "near"]);
  });

  test("is named with the time to wait where no other serves", async () => {
    const { walk } = world();
    const chain = [slotOf("near", { limits: { requestsPerMinute: 1 } })];
    await walk({ chain });
    await expect(walk({ chain })).rejects.toMatchObject({
      code: "no_provider_available",
      retryAfterSeconds: 60,
    });
  });

  test("takes a request that costs nothing, which does not count", async () => {
    const { called, walk } = world();
    const chain = [slotOf("near", { limits: { requestsPerMinute: 1 } })];
    for (let request = 0; request < 3; request += 1) await walk({ chain }, { isFree: true });
    await walk({ chain });
    await walk({ chain }, { isFree: true });
    expect(called).toHaveLength(5);
  });
});

describe("a prompt that is too long", () => {
  const tooLong = { status: 400, meaning: "too_large", isTooLong: true } as const;
  const chain = [
    slotOf("small", { contextTokens: 100 }),
    slotOf("equal", { contextTokens: 100 }),
    slotOf("large", { contextTokens: 200 }),
  ];

  test("is sent to the next slot with a larger context alone", async () => {
    const { called, passedOver, walk } = world({ small: [tooLong] });
    await walk({ chain, fallsBackByContext: true });
    expect(called).toEqual(["small", "large"]);
    expect(passedOver).toEqual(["equal context_length"]);
  });

  test("is refused as too long where no slot has one", async () => {
    const { called, walk } = world({ large: [tooLong] });
    const model = { chain: [...chain].reverse(), fallsBackByContext: true };
    await expect(walk(model)).rejects.toMatchObject({ cause: { isTooLong: true } });
    expect(called).toEqual(["large"]);
  });

  test("is sent to every slot where the model does not say otherwise", async () => {
    const { called, walk } = world({ small: [tooLong], equal: [tooLong] });
    await walk({ chain });
    expect(called).toEqual(["small", "equal", "large"]);
  });

  test("says nothing of the slots where another failure comes first", async () => {
    const { called, walk } = world({ small: [{ status: 500 }] });
    await walk({ chain, fallsBackByContext: true });
    expect(called).toEqual(["small", "equal"]);
  });
});

describe("retries", () => {
  const chain = [slotOf("near", { retries: 2 }), slotOf("far")];
  const isWhole = true;
  const error = { status: 500 } as const;

  async function calledBy(
    failures: SlotFailureDetails[],
    options: Partial<ChainOptions> = { isWhole },
  ): Promise<string[]> {
    const { called, walk } = world({ near: failures });
    await walk({ chain }, options);
    return called;
  }

  test("repeat a call as often as the slot allows, before the next slot is called", async () => {
    expect(await calledBy([error])).toEqual(["near", "near"]);
    expect(await calledBy([error, error, error])).toEqual(["near", "near", "near", "far"]);
  });

  test.each<[string, SlotFailureDetails]>([
    ["was sent, and has no response", { meaning: "trouble" }],
    ["a proxy has given up on", { status: 504 }],
    ["a proxy has no response to", { status: 502 }],
    ["is limited", { status: 429 }],
    ["is refused for the gateway's key", { status: 401 }],
    ["is asked to wait for long", { status: 503, retryAfterMs: 10_000 }],
    ["is not valid", { status: 404 }],
  ])("do not repeat a call that %s", async (_, failure) => {
    expect(await calledBy([failure])).toEqual(["near", "far"]);
  });

  test("repeat a call that did not reach the provider", async () => {
    expect(await calledBy([{ meaning: "unreachable" }])).toEqual(["near", "near"]);
  });

  test("do not repeat a stream", async () => {
    expect(await calledBy([error], { isWhole: false })).toEqual(["near", "far"]);
  });

  test("end when the request ends", async () => {
    const { called, walk } = world({ near: [error, error] });
    const reason = new Error("the client disconnected");
    const controller = new AbortController();
    const walked = walk({ chain }, { isWhole, signal: controller.signal });
    await vi.waitFor(() => expect(called).toEqual(["near"]));
    controller.abort(reason);
    await expect(walked).rejects.toBe(reason);
    expect(called).toEqual(["near"]);
  });
});
