import type { Pricing, Slot } from "@tollgate/catalog/model";
import { costOf } from "@tollgate/core/money";
import { expect, test } from "vitest";
import { approximateUsage, measure, readUsage, totalTokens, usageBlock } from "./usage.ts";

const perToken = (microUsd: bigint) => ({ picoUsd: microUsd * 1_000_000n, per: 1n });

function slotWith(pricing: Pricing): Slot {
  return {
    id: "near/model",
    provider: {
      name: "near",
      baseUrl: "http://127.0.0.1",
      baseUrlEnv: undefined,
      apiKeyEnv: undefined,
      timeoutMs: 1_000,
    },
    upstreamModel: "model",
    path: "/chat/completions",
    pricing,
  };
}

const reported = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 5 },
};

/** Reads a usage block that must be readable. */
function read(block: unknown) {
  const usage = readUsage(block);
  if (usage === undefined) throw new Error("the block must be read");
  return usage;
}

test("a provider's usage block is used as it is", () => {
  expect(readUsage(reported)).toEqual({
    promptTokens: 100n,
    completionTokens: 20n,
    cachedTokens: 60n,
    basis: "provider",
    details: {
      prompt_tokens_details: reported.prompt_tokens_details,
      completion_tokens_details: reported.completion_tokens_details,
    },
    block: reported,
  });
});

test.each([
  ["none", undefined],
  ["null", null],
  ["an array", [100, 20]],
  ["no prompt tokens", { completion_tokens: 1 }],
  ["no completion tokens", { prompt_tokens: 1 }],
  ["a negative count", { prompt_tokens: -1, completion_tokens: 1 }],
  ["a fractional count", { prompt_tokens: 1.5, completion_tokens: 1 }],
  ["a count that is a string", { prompt_tokens: "1", completion_tokens: 1 }],
  ["a count above the largest safe integer", { prompt_tokens: 2 ** 53, completion_tokens: 1 }],
])("a usage block with %s is not billed from", (_, block) => {
  expect(readUsage(block)).toBeUndefined();
});

test("cached tokens are at most those of the prompt, and an invalid count is zero", () => {
  const cached = (count: unknown) =>
    read({ ...reported, prompt_tokens_details: { cached_tokens: count } }).cachedTokens;
  expect([cached(500), cached(-5), cached("60"), cached(undefined)]).toEqual([100n, 0n, 0n, 0n]);
});

test("details that are not an object are dropped", () => {
  const usage = read({ ...reported, prompt_tokens_details: 7, completion_tokens_details: null });
  expect(usage).toMatchObject({ details: {}, cachedTokens: 0n });
});

test.each([
  [0n, 0, 0n, 0n],
  [1n, 1, 1n, 1n],
  [4n, 4, 1n, 1n],
  [5n, 9, 2n, 3n],
])("%d and %d characters count as one token for every four, rounded up", (prompt, completion, p, c) => {
  expect(approximateUsage(prompt, completion, "approx4")).toEqual({
    promptTokens: p,
    completionTokens: c,
    cachedTokens: 0n,
    basis: "approx4",
    details: {},
  });
});

test("cached prompt tokens are priced once, at their own price", () => {
  const slot = slotWith({
    unitType: "tokens",
    input: perToken(10n),
    cachedInput: perToken(1n),
    output: perToken(100n),
  });
  const measured = measure(read(reported), slot);
  expect(costOf(measured.lines)).toBe((40n * 10n + 60n * 1n + 20n * 100n) * 1_000n);
  expect(measured).toMatchObject({
    quantity: 120n,
    basis: "provider",
    tokens: { prompt: 100n, completion: 20n, cachedPrompt: 60n },
  });
});

test("cached prompt tokens without a price of their own are priced as other prompt tokens", () => {
  const slot = slotWith({
    unitType: "tokens",
    input: perToken(10n),
    cachedInput: undefined,
    output: perToken(100n),
  });
  expect(costOf(measure(read(reported), slot).lines)).toBe((100n * 10n + 20n * 100n) * 1_000n);
});

test("the usage block of the client adds up, contains the details and a cost of six decimals", () => {
  const usage = read({ ...reported, total_tokens: 9_999 });
  expect(totalTokens(usage)).toBe(120n);
  expect(JSON.stringify(usageBlock(usage, 120_000n))).toBe(
    '{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,' +
      '"prompt_tokens_details":{"cached_tokens":60,"audio_tokens":0},' +
      '"completion_tokens_details":{"reasoning_tokens":5},"cost":0.000120}',
  );
});
