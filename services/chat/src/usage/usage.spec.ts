import type { Pricing, Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { costOf } from "@tollgate/core/money";
import { readUsageBlock } from "@tollgate/providers/openai/usage";
import { expect, test } from "vitest";
import { measure, totalTokens, usageBlock, withCounted } from "./usage.ts";

const perToken = (microUsd: bigint) => ({ picoUsd: microUsd * 1_000_000n, per: 1n });

function slotWith(pricing: Pricing): Slot {
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
  const usage = readUsageBlock(block);
  if (usage === undefined) throw new Error("the block must be read");
  return usage;
}

test("what is counted is added to the output that is reported", () => {
  const usage = read({ ...reported, completion_tokens_details: { audio_tokens: 8 } });
  expect(withCounted(usage, 5n)).toMatchObject({
    promptTokens: 100n,
    completionTokens: 25n,
    basis: "tokenized",
    block: usage.block,
  });
  expect(withCounted(usage, 5n).tokens).toEqual([
    { dimension: "input", quantity: 40n },
    { dimension: "cached_input", quantity: 60n },
    { dimension: "output", quantity: 17n },
    { dimension: "audio_output", quantity: 8n },
  ]);
});

test("cached prompt tokens are priced once, at their own price", () => {
  const slot = slotWith({
    unitType: "tokens",
    input: perToken(10n),
    cached_input: perToken(1n),
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
    output: perToken(100n),
  });
  expect(costOf(measure(read(reported), slot).lines)).toBe((100n * 10n + 20n * 100n) * 1_000n);
});

test("output above what is billed is in the quantity, and in no line", () => {
  const slot = slotWith({
    unitType: "tokens",
    input: perToken(10n),
    output: perToken(100n),
    reasoning: perToken(1_000n),
  });
  const completion_tokens_details = { reasoning_tokens: 4, audio_tokens: 8 };
  const usage = read({ ...reported, completion_tokens_details });
  const billed = (most: bigint) =>
    measure(usage, slot, most).lines.filter(({ dimension }) => !dimension.endsWith("input"));
  const at = (dimension: string, quantity: bigint) =>
    expect.objectContaining({ dimension, quantity });
  expect(measure(usage, slot, 10n).quantity).toBe(120n);
  expect(billed(20n)).toEqual([at("output", 8n), at("reasoning", 4n), at("audio_output", 8n)]);
  expect(billed(10n)).toEqual([at("output", 0n), at("reasoning", 2n), at("audio_output", 8n)]);
  expect(billed(3n)).toEqual([at("output", 0n), at("audio_output", 3n)]);
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
