import type { Slot } from "@tollgate/catalog/model";
import { pricesAt } from "@tollgate/catalog/pricing";
import { GatewayError, PeerError } from "@tollgate/core/errors";
import type { Generation } from "@tollgate/generation/generation";
import { expect, test } from "vitest";
import type { Chunk } from "../wires/chunk.ts";
import { createStreamAllowance } from "./stream-allowance.ts";

/** One token costs 1,000 nano-USD, and is three bytes. */
const price = { picoUsd: 1_000_000n, per: 1n };
const slot = { pricing: { unitType: "tokens", input: price, output: price } } as Slot;
const sliceCost = 2_048_000n;

/** An allowance of 10,000 tokens whose ledger responds when `respond` is called. */
function createFixture({ held = sliceCost, maxTokens = 10_000n } = {}) {
  const grows: bigint[] = [];
  let pending = Promise.withResolvers<bigint>();
  const generation = {
    held,
    grow(estimate: bigint) {
      grows.push(estimate);
      return pending.promise;
    },
  } as unknown as Generation;
  const bound = { promptTokens: 0n, maxTokens, choices: 1n };
  const plan = {
    bound,
    estimate: sliceCost,
    tokens: 0n,
    isWhole: false,
    aloneBelow: 0n,
    isGrowing: true,
    pricesOf: pricesAt,
  };
  const allowance = createStreamAllowance(generation, plan, slot, maxTokens);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const respond = async (result: bigint | Error) => {
    await turn();
    const { resolve, reject } = pending;
    pending = Promise.withResolvers<bigint>();
    if (typeof result === "bigint") resolve(result);
    else reject(result);
    await turn();
  };
  const admit = (tokens: number) => allowance.admit(textOf(tokens));
  return { allowance, grows, respond, admit };
}

function textOf(tokens: number): Chunk {
  const choices = [{ index: 0, delta: { content: "abc".repeat(tokens) } }];
  return { choices } as unknown as Chunk;
}

const exhausted = new GatewayError("credit_balance_exhausted", "empty");

test("a hold grows once half a slice is left, while chunks are admitted", async () => {
  const { admit, grows, respond } = createFixture();
  expect(admit(1_024)).toBe(true);
  expect(grows).toEqual([]);
  expect([admit(1), admit(1_000)]).toEqual([true, true]);
  expect(grows).toEqual([sliceCost]);
  await respond(sliceCost);
  expect(admit(1_000)).toBe(true);
  expect(grows).toHaveLength(1);
  expect(admit(500)).toBe(true);
  expect(grows).toHaveLength(2);
});

test("a stream whose hold is used up waits for the growth", async () => {
  const { admit, allowance, respond } = createFixture();
  expect([admit(2_048), admit(1)]).toEqual([true, false]);
  const waited = allowance.wait();
  await respond(sliceCost);
  expect(await waited).toBe(true);
  expect([admit(1), allowance.isUsedUp]).toEqual([true, false]);
});

test("the end of a stream without text needs no allowance", () => {
  const { admit, allowance } = createFixture();
  admit(2_048);
  const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] } as unknown as Chunk;
  expect([allowance.admit(end), admit(1)]).toEqual([true, false]);
});

test("a refused growth is attempted once more when the hold is used up", async () => {
  for (const [result, isGranted] of [
    [exhausted, false],
    [sliceCost, true],
  ] as const) {
    const { admit, allowance, grows, respond } = createFixture();
    admit(2_000);
    await respond(exhausted);
    expect([admit(47), admit(1), admit(1)]).toEqual([true, true, false]);
    expect(grows).toHaveLength(1);
    const waited = allowance.wait();
    await respond(result);
    expect(await waited).toBe(isGranted);
    expect([grows.length, allowance.isUsedUp]).toEqual([2, !isGranted]);
  }
});

test("a partial growth covers the tokens that it pays for", async () => {
  const { admit, respond } = createFixture();
  admit(2_000);
  await respond(100_000n);
  expect([admit(148), admit(1)]).toEqual([true, false]);
});

test("a ledger that cannot be reached does not end a stream", async () => {
  const { admit, allowance, respond } = createFixture();
  admit(2_048);
  await respond(new PeerError("unavailable", "down"));
  expect(admit(1)).toBe(true);
  expect(allowance.isUsedUp).toBe(false);
});

test("a hold that covers the output ceiling does not grow", async () => {
  const { admit, grows, respond } = createFixture({ maxTokens: 3_000n });
  admit(2_000);
  expect(grows).toEqual([952_000n]);
  await respond(952_000n);
  expect(admit(9_000)).toBe(true);
  expect(grows).toHaveLength(1);
  const small = createFixture({ maxTokens: 2_000n });
  expect([small.admit(9_000), small.grows]).toEqual([true, []]);
});

test("a hold smaller than a slice grows at once", () => {
  const { admit, grows } = createFixture({ held: 500_000n });
  expect([admit(500), admit(1)]).toEqual([true, false]);
  expect(grows).toEqual([sliceCost]);
});

test("a stream that is held in full delivers a slice before it waits, whatever a prompt may cost", () => {
  const grows: bigint[] = [];
  const grow = async (amount: bigint) => grows.push(amount) && amount;
  const audio = { picoUsd: 40_000_000n, per: 1n };
  const pricing = { unitType: "tokens", input: price, audio_input: audio, output: price } as const;
  const bound = { promptTokens: 1_000n, maxTokens: 10_000n, choices: 1n };
  const generation = { held: 1_000_000n + sliceCost, grow } as unknown as Generation;
  const estimate = generation.held;
  const plan = {
    bound,
    estimate,
    tokens: 0n,
    aloneBelow: 0n,
    isWhole: false,
    isGrowing: true,
    pricesOf: pricesAt,
  };
  const allowance = createStreamAllowance(generation, plan, { pricing } as Slot, 10_000n);
  expect(allowance.admit(textOf(1_024))).toBe(true);
  expect(allowance.admit(textOf(1))).toBe(true);
  expect(grows).toEqual([sliceCost]);
});
