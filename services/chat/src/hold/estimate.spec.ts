import { create } from "@bufbuild/protobuf";
import {
  type Model,
  outputDimensions,
  type Pricing,
  promptDimensions,
  type Slot,
} from "@tollgate/catalog/model";
import { highestPrices } from "@tollgate/catalog/pricing";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { costOf, type Price } from "@tollgate/core/money";
import { type ChatCall, ChatCallSchema } from "@tollgate/proto/tollgate/v1/chat";
import { readUsageBlock } from "@tollgate/providers/openai/usage";
import fc from "fast-check";
import { expect, test } from "vitest";
import { measure } from "../usage/usage.ts";
import { affordableTokens, type Bound, boundOf, estimateOf } from "./estimate.ts";

const price: fc.Arbitrary<Price> = fc.record({
  picoUsd: fc.bigInt({ min: 0n, max: 10n ** 13n }),
  per: fc.constantFrom(1n, 1_000n, 1_000_000n),
});
const prices = { input: price, output: price };
const others = [...promptDimensions, ...outputDimensions].filter((name) => !(name in prices));
const dimensions = fc.record(
  { ...prices, ...Object.fromEntries(others.map((name) => [name, price])) },
  { requiredKeys: ["input", "output"] },
);
const tiers = fc
  .uniqueArray(fc.bigInt({ min: 1n, max: 1_200_000n }), { maxLength: 3 })
  .chain((at) =>
    fc.tuple(
      ...at
        .sort((one, other) => Number(one - other))
        .map((aboveInputTokens) => dimensions.map((own) => ({ ...own, aboveInputTokens }))),
    ),
  );
const pricing: fc.Arbitrary<Pricing> = fc
  .tuple(dimensions, tiers)
  .map(([own, higher]) => ({ ...own, unitType: "tokens", tiers: higher }));
const bound: fc.Arbitrary<Bound> = fc.record({
  promptTokens: fc.bigInt({ min: 0n, max: 1_000_000n }),
  maxTokens: fc.bigInt({ min: 1n, max: 1_000_000n }),
  choices: fc.bigInt({ min: 1n, max: 128n }),
});
/** The amount of a hold: whole micro-USD, as every estimate is. */
const held = fc.bigInt({ min: 0n, max: 10n ** 10n }).map((micro) => micro * 1_000n);

function slotWith(prices: Pricing): Slot {
  return {
    id: "near/model",
    provider: {
      name: "near",
      kind: {} as ProviderKind,
      baseUrl: "http://127.0.0.1",
      baseUrlEnv: undefined,
      apiKeyEnv: undefined,
      timeoutMs: 1_000,
    },
    upstreamModel: "model",
    path: "/chat/completions",
    pricing: prices,
  };
}

function modelWith(chain: readonly [Slot, ...Slot[]]): Model {
  return {
    alias: "model",
    routeType: "chat",
    visibility: "public",
    created: 0,
    ownedBy: "tollgate",
    contextTokens: 32_768,
    maxOutputTokens: 4_096,
    vision: true,
    passes: new Set(),
    allows: new Set(),
    takesTokens: false,
    unitType: "tokens",
    pricing: chain[0].pricing,
    chain,
  };
}

/** Returns the cost of a call that uses `outputTokens` per choice and its full prompt bound. */
function costAt({ promptTokens, choices }: Bound, slot: Slot, outputTokens: bigint): bigint {
  const { input, output } = highestPrices(slot.pricing, promptTokens);
  return costOf([
    { quantity: promptTokens, price: input },
    { quantity: outputTokens * choices, price: output ?? input },
  ]);
}

test("the hold covers a ceiling above 1, with the longest prompt and all choices", () => {
  fc.assert(
    fc.property(bound, pricing, held, (call, prices, amount) => {
      const slot = slotWith(prices);
      const affordable = affordableTokens(call, slot, amount);
      if (highestPrices(prices, call.promptTokens).output?.picoUsd === 0n) {
        expect(affordable).toBe(call.maxTokens);
      } else if (affordable > 1n) {
        expect(costAt(call, slot, affordable)).toBeLessThanOrEqual(amount);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("a ceiling is at least 1 and at most that of the call", () => {
  fc.assert(
    fc.property(bound, pricing, held, (call, prices, amount) => {
      const affordable = affordableTokens(call, slotWith(prices), amount);
      expect(affordable).toBeGreaterThanOrEqual(1n);
      expect(affordable).toBeLessThanOrEqual(call.maxTokens);
    }),
    { numRuns: 1_000 },
  );
});

test("a ceiling is lowered to what the hold covers, divided evenly among the choices", () => {
  const call = { promptTokens: 100n, maxTokens: 1_000n, choices: 2n };
  const micro = { picoUsd: 1_000_000n, per: 1n };
  const slot = slotWith({
    unitType: "tokens",
    input: micro,
    output: micro,
  });
  expect(affordableTokens(call, slot, 2_100_000n)).toBe(1_000n);
  expect(affordableTokens(call, slot, 2_099_000n)).toBe(999n);
  expect(affordableTokens(call, slot, 300_000n)).toBe(100n);
  expect(affordableTokens(call, slot, 0n)).toBe(1n);
});

test("a hold of the full estimate covers the full ceiling at every slot of the chain", () => {
  fc.assert(
    fc.property(bound, fc.tuple(pricing, pricing, pricing), (call, prices) => {
      const [first, second, third] = prices;
      const model = modelWith([slotWith(first), slotWith(second), slotWith(third)]);
      const estimate = estimateOf(call, model);
      for (const slot of model.chain) {
        expect(affordableTokens(call, slot, estimate)).toBe(call.maxTokens);
        expect(costAt(call, slot, call.maxTokens)).toBeLessThanOrEqual(estimate);
      }
      const costs = model.chain.map((slot) => costAt(call, slot, call.maxTokens));
      expect(costs).toContain(estimate);
    }),
  );
});

test("the estimate is never below what a call within its bound is charged", () => {
  const share = fc.nat({ max: 100 });
  const used = fc.record({
    promptShare: share,
    outputShare: share,
    parts: fc.array(share, { minLength: 5, maxLength: 5 }),
  });
  fc.assert(
    fc.property(bound, pricing, used, (call, prices, { promptShare, outputShare, parts }) => {
      const slot = slotWith(prices);
      const promptTokens = Number(call.promptTokens * BigInt(promptShare)) / 100;
      const completionTokens = Number(call.maxTokens * call.choices * BigInt(outputShare)) / 100;
      const [prompt, completion] = [Math.floor(promptTokens), Math.floor(completionTokens)];
      const [cached = 0, written = 0, audio = 0, spoken = 0, reasoning = 0] = parts;
      const part = (total: number, percent: number) => Math.floor((total * percent) / 100);
      const usage = readUsageBlock({
        prompt_tokens: prompt,
        completion_tokens: completion,
        prompt_tokens_details: {
          cached_tokens: part(prompt, cached),
          cache_write_tokens: part(prompt, written),
          audio_tokens: part(prompt, audio),
        },
        completion_tokens_details: {
          audio_tokens: part(completion, spoken),
          reasoning_tokens: part(completion, reasoning),
        },
      });
      if (usage === undefined) throw new Error("the block must be read");
      const charge = costOf(measure(usage, slot).lines);
      expect(charge).toBeLessThanOrEqual(estimateOf(call, modelWith([slot])));
    }),
    { numRuns: 1_000 },
  );
});

function callOf(fields: Partial<ChatCall>): ChatCall {
  return Object.assign(create(ChatCallSchema, { choices: 1 }), fields);
}

test("the bound of a prompt counts its bytes, its messages and its images", () => {
  const slot = slotWith({
    input: { picoUsd: 1n, per: 1n },
    unitType: "tokens",
    output: { picoUsd: 1n, per: 1n },
  });
  const call = create(ChatCallSchema, {
    choices: 3,
    maxTokens: 50n,
    prompt: { textBytes: 1_000n, messages: 2, imageParts: 1 },
  });
  expect(boundOf(call, modelWith([slot]))).toEqual({
    promptTokens: 1_000n + 2n * 16n + 1_200n,
    maxTokens: 50n,
    choices: 3n,
  });
  const large = { ...modelWith([slot]), imageTokens: 40_000 };
  expect(boundOf(call, large).promptTokens).toBe(1_000n + 2n * 16n + 40_000n);
});

test("a call without a ceiling has the ceiling of its model", () => {
  const free = { picoUsd: 0n, per: 1n };
  const model = modelWith([slotWith({ unitType: "tokens", input: free, output: free })]);
  expect(boundOf(callOf({}), model).maxTokens).toBe(4_096n);
  expect(boundOf(callOf({ maxTokens: 9_000n }), model).maxTokens).toBe(9_000n);
});
