import { create } from "@bufbuild/protobuf";
import type { Model, Slot } from "@tollgate/catalog/model";
import { createPlan } from "@tollgate/catalog/plan";
import { GatewayError } from "@tollgate/core/errors";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { Outcome } from "@tollgate/proto/tollgate/v1/usage";
import { createBreakers } from "@tollgate/upstream/breaker";
import { SlotFailure } from "@tollgate/upstream/failure";
import { describe, expect, test, vi } from "vitest";
import { engineWorld, far, images, model, near } from "../test/engine-world.ts";
import type { Engine } from "./engine.ts";
import type { BillableCall, Generation } from "./generation.ts";

async function* chunksOf(...chunks: string[]) {
  for (const chunk of chunks) yield chunk;
}

/** Reads a stream to its end. Returns its chunks and the error that ended it. */
async function readAll(stream: AsyncIterable<string>) {
  const read: string[] = [];
  try {
    for await (const chunk of stream) read.push(chunk);
  } catch (error) {
    return { read, error };
  }
  return { read, error: undefined };
}

/** Streams two chunks and a last one with the cost. Calls `beforeSettling` before it settles. */
function streamOf(
  engine: Engine,
  call: BillableCall,
  beforeSettling: (generation: Generation, slot: Slot) => void = () => {},
  open: (slot: Slot) => AsyncIterable<string> = () => chunksOf("a", "b"),
) {
  return engine.stream(call, async function* (generation) {
    const { slot, response } = await generation.attemptStream(async (one) => ({
      chunks: open(one),
    }));
    generation.billPartial(() => ({ slot, response: images(1n) }));
    yield* response.chunks;
    beforeSettling(generation, slot);
    yield `cost ${await generation.settle(slot, images(2n))}`;
  });
}

test("a complete response is charged before its last chunk", async () => {
  const { engine, call, events } = engineWorld();
  const read = await readAll(streamOf(engine, call));
  expect(read).toEqual({ read: ["a", "b", "cost 2000"], error: undefined });
  expect(events).toMatchObject([{ outcome: Outcome.COMPLETED, costNanoUsd: 2_000n }]);
});

test("a generation that its work does not settle is not billed", async () => {
  const { engine, call, events } = engineWorld();
  await engine.generate(call, async () => {});
  const failure = new GatewayError("internal_error", "a bug");
  const failing = engine.generate(call, () => Promise.reject(failure));
  await expect(failing).rejects.toBe(failure);
  const free = { outcome: Outcome.FAILED, costNanoUsd: 0n };
  expect(events).toMatchObject([free, free]);
});

test("a response that ends before it is settled is billed once, by the route's `billPartial`", async () => {
  const failure = new GatewayError("internal_error", "it cannot be stored");
  const { engine, call, events } = engineWorld();
  const stream = streamOf(engine, call, () => {
    throw failure;
  });
  expect(await readAll(stream)).toEqual({ read: ["a", "b"], error: failure });
  expect(events).toMatchObject([{ outcome: Outcome.COMPLETED, costNanoUsd: 1_000n }]);
});

test("a response whose reader stops is settled", async () => {
  const { engine, call, events } = engineWorld();
  for await (const chunk of streamOf(engine, call)) if (chunk === "a") break;
  expect(events).toMatchObject([{ costNanoUsd: 1_000n }]);
});

test("a partial response may be measured after the call has ended", async () => {
  const { engine, call, events } = engineWorld();
  const stream = engine.stream(call, async function* (generation) {
    generation.billPartial(async (failure) => {
      await new Promise(setImmediate);
      return failure === undefined ? { slot: near, response: images(3n) } : undefined;
    });
    yield "a";
  });
  for await (const _ of stream) break;
  expect(events).toMatchObject([{ outcome: Outcome.COMPLETED, costNanoUsd: 3_000n }]);
});

test("a response is settled once, and one that is measured and not settled is not billed", async () => {
  const { engine, call, events } = engineWorld();
  await engine.generate(call, async (generation) => {
    const measured = await generation.measured(near, images(2n));
    expect(events).toEqual([]);
    expect(await measured.settle()).toBe(measured.charge);
    await expect(measured.settle()).rejects.toThrow("once");
  });
  await engine.generate(call, async (generation) => {
    await generation.measured(near, images(2n));
  });
  expect(events).toMatchObject([
    { outcome: Outcome.COMPLETED, costNanoUsd: 2_000n },
    { outcome: Outcome.FAILED, costNanoUsd: 0n },
  ]);
});

test("a settlement that fails is not repeated", async () => {
  const { engine, call, events } = engineWorld();
  const broken = new Error("the disk is full");
  const stream = streamOf(engine, call, (generation) => {
    vi.spyOn(events, "push").mockImplementationOnce(() => {
      throw broken;
    });
    generation.billPartial(() => expect.unreachable("it is settled"));
  });
  expect(await readAll(stream)).toEqual({ read: ["a", "b"], error: broken });
  expect(events).toEqual([]);
});

test("after a slot that fails before its first chunk, the next slot is attempted", async () => {
  const { engine, call, events } = engineWorld();
  const open = (slot: Slot) =>
    slot === near ? brokenChunks(new SlotFailure("rejected", "no chunk")) : chunksOf("a");
  const { read } = await readAll(streamOf(engine, call, undefined, open));
  expect(read).toEqual(["a", "cost 2000"]);
  expect(events).toMatchObject([{ provider: "far" }]);
});

test("a stream that the provider breaks off ends with `upstream_rejected`", async () => {
  const { engine, call } = engineWorld();
  async function* broken() {
    yield "a";
    throw new SlotFailure("unreachable", "the connection was reset");
  }
  const { read, error } = await readAll(streamOf(engine, call, undefined, broken));
  expect(read).toEqual(["a"]);
  expect(error).toMatchObject({ code: "upstream_rejected" });
});

test("the cost of an earlier run is reported again, and counted once", async () => {
  const { engine, call, events, metrics } = engineWorld({ chargeId: "req_0" });
  const cost = await engine.generate(call, async (generation) => {
    const measured = await generation.measured(near, images(9n));
    expect(measured.charge).toBe(6_000n);
    return measured.settle();
  });
  expect(cost).toBe(6_000n);
  // The event has the usage of this run. The ledger finds by the charge id that it is paid.
  expect(events).toMatchObject([{ chargeId: "req_0", costNanoUsd: 9_000n }]);
  const { values } = await metrics.cost.get();
  expect(values.reduce((sum, { value }) => sum + value, 0)).toBe(0);
});

test("a cost above the hold waits for a ledger that restarts, and not for a wallet", async () => {
  const { engine, call, hold } = engineWorld();
  const away = new GatewayError("no_provider_available", "the ledger cannot be reached");
  const settle = () =>
    engine.generate(call, async (generation) => generation.settle(near, images(200n)));
  hold.grow.mockRejectedValueOnce(away).mockRejectedValueOnce(away);
  hold.grow.mockImplementationOnce(async (added: bigint) => {
    hold.amount += added;
    return added;
  });
  expect(await settle()).toBe(200_000n);
  expect(hold.grow).toHaveBeenCalledTimes(3);
  hold.amount = 100_000n;
  hold.grow.mockRejectedValueOnce(new GatewayError("credit_balance_exhausted", "empty"));
  expect(await settle()).toBe(100_000n);
  expect(hold.grow).toHaveBeenCalledTimes(4);
});

test("a cost above the hold is reported in full where the ledger stays away", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  try {
    const { engine, call, hold, events } = engineWorld();
    hold.grow.mockRejectedValue(new GatewayError("no_provider_available", "it is away"));
    const settled = engine.generate(call, (generation) => generation.settle(near, images(200n)));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await settled).toBe(200_000n);
    expect(events).toMatchObject([{ costNanoUsd: 200_000n, reportedNanoUsd: 200_000n }]);
  } finally {
    vi.useRealTimers();
  }
});

test("the cost that a turn is stored with is the reported one, though its hold grows meanwhile", async () => {
  const { engine, call, events, hold } = engineWorld();
  const granted = Promise.withResolvers<bigint>();
  hold.grow.mockImplementation(async () => {
    const added = await granted.promise;
    hold.amount += added;
    return added;
  });
  const costs = await engine.generate(call, async (generation) => {
    const growing = generation.grow(50_000n);
    const measured = generation.measured(near, images(300n));
    const exhausted = new GatewayError("credit_balance_exhausted", "empty");
    hold.grow.mockRejectedValueOnce(exhausted);
    setImmediate(() => granted.resolve(50_000n));
    const response = await measured;
    await growing;
    return [response.charge, await response.settle()];
  });
  expect(costs).toEqual([150_000n, 150_000n]);
  expect(events).toMatchObject([{ costNanoUsd: 300_000n }]);
});

test("a free request does not change the circuit breakers of billable requests", async () => {
  const { engine, breakers } = engineWorld();
  const one = { ...model, chain: [near] } as Model;
  const fail = vi.fn(async () => {
    throw new SlotFailure("unreachable", "no route to host", { meaning: "unreachable" });
  });
  for (let times = 0; times < 6; times += 1) {
    await expect(engine.attemptFree(one, fail, undefined)).rejects.toThrow("provider");
  }
  expect(fail).toHaveBeenCalledTimes(5);
  const permit = breakers.admit(near, "acc_1");
  const failure = new SlotFailure("rejected", "no", { status: 500 });
  for (let times = 0; times < 4; times += 1) breakers.failed(near, "acc_1", permit, failure);
  await engineWorld().engine.attemptFree(one, async () => "voices", undefined);
  breakers.failed(near, "acc_1", permit, failure);
  expect(breakers.admit(near, "acc_1")).toBe("out");
});

test("a free request is not sent a key that was refused, until the key has another value", async () => {
  const freeBreakers = createBreakers(() => 0);
  const { engine } = engineWorld({ freeBreakers });
  const slot = { ...near, provider: { ...near.provider, secret: "main" } };
  const one = { ...model, chain: [slot] } as Model;
  const attempt = vi.fn(async () => "voices");
  attempt.mockRejectedValueOnce(new SlotFailure("rejected", "no", { status: 401 }));
  for (let times = 0; times < 2; times += 1) {
    await expect(engine.attemptFree(one, attempt, undefined)).rejects.toThrow();
  }
  expect(attempt).toHaveBeenCalledTimes(1);
  freeBreakers.secretChanged("main");
  expect(await engine.attemptFree(one, attempt, undefined)).toMatchObject({ response: "voices" });
});

test("no request is sent to a slot that an operator has disabled, also if it costs nothing", async () => {
  const { engine, call } = engineWorld({ isDisabled: (id) => id === near.id });
  const attempt = async () => "served";
  const free = await engine.attemptFree(model, attempt, undefined);
  const paid = await engine.generate(call, (generation) => generation.attempt(attempt));
  expect([free.slot, paid.slot]).toEqual([far, far]);
  expect([engine.hasRoom(near), engine.hasRoom(far)]).toEqual([false, true]);
});

test("the creation of a job counts for the limits of its slot until it ends, and no free request does", async () => {
  const { engine } = engineWorld();
  const limited = { ...near, limits: { parallel: 1 } };
  const one = { ...model, chain: [limited] } as Model;
  const hasRoom = async () => engine.hasRoom(limited);
  const during = (isCounted: boolean) => engine.attemptFree(one, hasRoom, undefined, isCounted);
  expect(await during(false)).toMatchObject({ response: true });
  expect(await during(true)).toMatchObject({ response: false });
  expect(engine.hasRoom(limited)).toBe(true);
});

describe("a call in progress counts for the limits of its slot", () => {
  const limited = { ...near, limits: { parallel: 1, tokensPerMinute: 1_000 } };
  const one = { ...model, unitType: "tokens", chain: [limited] } as Model;
  const tokens = (quantity: bigint) => ({ quantity, basis: "provider", lines: [] });

  test("until its stream has ended", async () => {
    const { engine, call } = engineWorld();
    const stream = streamOf(engine, { ...call, model: one });
    await stream.next();
    expect(engine.hasRoom(limited)).toBe(false);
    await stream.next();
    expect(engine.hasRoom(limited)).toBe(false);
    await stream.next();
    expect(engine.hasRoom(limited)).toBe(true);
  });

  test.each([
    [
      "it is settled",
      async (generation: Generation) => void (await generation.settle(limited, tokens(1n))),
    ],
    ["it ends without being settled", async () => {}],
    ["it fails", () => Promise.reject(new Error("a bug"))],
  ])("until %s", async (_, end) => {
    const { engine, call } = engineWorld();
    const ended = engine.generate({ ...call, model: one }, async (generation) => {
      await generation.attempt(async () => expect(engine.hasRoom(limited)).toBe(false));
      expect(engine.hasRoom(limited)).toBe(false);
      await end(generation);
    });
    await ended.catch(() => {});
    expect(engine.hasRoom(limited)).toBe(true);
  });

  test("until it ends, where what is billed of it cannot be measured", async () => {
    const { engine, call } = engineWorld();
    const ended = engine.generate({ ...call, model: one }, async (generation) => {
      await generation.attempt(async () => {});
      generation.billPartial(() => Promise.reject(new Error("a bug")));
    });
    await expect(ended).rejects.toThrow("a bug");
    expect(engine.hasRoom(limited)).toBe(true);
  });

  test("with the tokens that it has used, once they are known", async () => {
    const { engine, call } = engineWorld();
    const use = (likely: bigint, used: bigint) =>
      engine.generate({ ...call, model: one, tokens: likely }, async (generation) => {
        await generation.attempt(async () => {});
        await generation.settle(limited, tokens(used));
      });
    await use(5_000n, 400n);
    await use(10n, 599n);
    expect(engine.hasRoom(limited)).toBe(true);
    await use(1n, 1n);
    await expect(use(1n, 1n)).rejects.toMatchObject({ code: "no_provider_available" });
  });
});

test("a slot that was not called is in the record of the request, with the reason", async () => {
  const { engine, call, events } = engineWorld();
  const [busy, free] = [{ ...near, limits: { parallel: 1 } }, far];
  const shared = { ...call, model: { ...model, chain: [busy, free] } as Model };
  await engine.generate(shared, async (first) => {
    await first.attempt(async () => {});
    await engine.generate(shared, async (second) => {
      expect((await second.attempt(async () => {})).slot).toBe(free);
    });
  });
  expect(events.map(({ trail }) => trail?.passedOver)).toMatchObject([
    [{ provider: "near", upstreamModel: "m", reason: "full" }],
    [],
  ]);
});

// biome-ignore lint/correctness/useYield: it fails before it has anything to yield.
async function* brokenChunks(failure: Error): AsyncGenerator<string> {
  throw failure;
}

test("a caller resolves the aliases that its models match, and no other error is thrown", async () => {
  const named = (alias: string, more: Partial<Model> = {}) =>
    [alias, { ...model, alias, visibility: "public", ...more } as Model] as const;
  const models = new Map([
    named("acme/large"),
    named("acme/other", { routeType: "chat" }),
    named("hidden", { visibility: "unlisted" }),
    named("inner", { visibility: "internal" }),
    named("zeta"),
  ]);
  const { engine, metrics } = engineWorld({ models });
  const resolve = (alias: string, ...globs: string[]) => {
    const caller = create(CallerSchema, { models: globs });
    try {
      return engine.resolve(alias, "images", caller).alias;
    } catch (error) {
      const { code, param, message } = error as GatewayError;
      return { code, param, message };
    }
  };
  const refused = (alias: string) => ({
    code: "model_not_found",
    param: "model",
    message: `No model of this route is called "${alias}".`,
  });
  expect(resolve("zeta")).toBe("zeta");
  expect(resolve("zeta", "acme/*", "z*")).toBe("zeta");
  expect(resolve("acme/large", "acme/*")).toBe("acme/large");
  expect(resolve("hidden", "hidden")).toBe("hidden");
  expect(resolve("nobody", "*")).toEqual(refused("nobody"));
  expect(resolve("acme/other", "*")).toEqual(refused("acme/other"));
  expect(resolve("hidden", "*")).toEqual(refused("hidden"));
  expect(resolve("hidden")).toEqual(refused("hidden"));
  expect(resolve("inner", "inner")).toEqual(refused("inner"));
  expect((await metrics.limitRefusals.get()).values).toEqual([]);
  expect(resolve("zeta", "acme/*")).toEqual(refused("zeta"));
  const { values } = await metrics.limitRefusals.get();
  expect(values).toMatchObject([{ labels: { limit: "models" }, value: 1 }]);
});

test("a request has the prices of its plan until its charge, whatever is published meanwhile", async () => {
  const listed = { ...model, visibility: "public", pricing: near.pricing } as Model;
  const models = new Map([["model", listed]]);
  const half = createPlan("gold", { factorMillionths: 500_000n, pricingOf: new Map() });
  const plans = new Map([["gold", half]]);
  const { engine, call, events } = engineWorld({ models, plans });
  const caller = create(CallerSchema, { requestId: "req_1", accountId: "a", plan: "gold" });
  const priced = engine.resolve("model", "images", caller);
  await engine.generate({ ...call, caller, model: priced }, async (generation) => {
    const { slot } = await generation.attempt(async () => "");
    models.set("model", { ...model, chain: [] } as unknown as Model);
    plans.clear();
    const lines = [{ dimension: "images", quantity: 2n, price: slot.pricing.input }];
    await generation.settle(slot, { quantity: 2n, basis: "provider", lines });
  });
  expect(events).toMatchObject([{ plan: "gold", costNanoUsd: 1_000n }]);
});
