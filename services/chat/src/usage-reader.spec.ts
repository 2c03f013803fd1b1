import fc from "fast-check";
import { expect, test } from "vitest";
import { claudePrices, measured, openAi, slotAt, vllm } from "../test/usage-prices.ts";
import { readUsage } from "./usage-reader.ts";

test("a provider's block is read with its totals and details", () => {
  const block = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 60, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 5 },
  };
  expect(readUsage(block)).toEqual({
    promptTokens: 100n,
    completionTokens: 20n,
    cachedTokens: 60n,
    tokens: [
      { dimension: "input", quantity: 40n },
      { dimension: "cached_input", quantity: 60n },
      { dimension: "output", quantity: 20n },
    ],
    reasoningTokens: 5n,
    toolCalls: [],
    basis: "provider",
    details: {
      prompt_tokens_details: block.prompt_tokens_details,
      completion_tokens_details: block.completion_tokens_details,
    },
    block,
  });
});

test("Anthropic's block has the totals that a chat completion has", () => {
  const block = { input_tokens: 5, cache_read_input_tokens: 60, output_tokens: 20 };
  expect(readUsage({ ...block, cache_creation_input_tokens: 35 })).toMatchObject({
    promptTokens: 100n,
    completionTokens: 20n,
    cachedTokens: 60n,
    details: { prompt_tokens_details: { cached_tokens: 60 } },
  });
});

test("xAI's block has the totals that a chat completion has", () => {
  const details = { completion_tokens_details: { reasoning_tokens: 94 } };
  const block = { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, ...details };
  expect(readUsage(block)).toMatchObject({
    promptTokens: 32n,
    completionTokens: 103n,
    reasoningTokens: 94n,
    details,
  });
});

test("Gemini's block has the totals that a chat completion has", () => {
  const block = { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5 };
  expect(readUsage({ ...block, cachedContentTokenCount: 60 })).toMatchObject({
    promptTokens: 100n,
    completionTokens: 25n,
    cachedTokens: 60n,
    reasoningTokens: 5n,
    details: {
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
  });
});

test("Bedrock's block has the totals that a chat completion has", () => {
  const block = { inputTokens: 5, outputTokens: 20, totalTokens: 120 };
  const cache = { cacheReadInputTokens: 60, cacheWriteInputTokens: 35 };
  expect(readUsage({ ...block, ...cache })).toMatchObject({
    promptTokens: 100n,
    completionTokens: 20n,
    cachedTokens: 60n,
    details: { prompt_tokens_details: { cached_tokens: 60 } },
  });
});

test.each([
  ["none", undefined],
  ["null", null],
  ["an array", [100, 20]],
  ["no prompt tokens", { completion_tokens: 1 }],
  ["no completion tokens", { prompt_tokens: 1 }],
  ["no output tokens", { input_tokens: 1 }],
  ["no output tokens of Bedrock", { inputTokens: 1, totalTokens: 2 }],
  ["no prompt tokens of Gemini", { candidatesTokenCount: 1, totalTokenCount: 1 }],
  ["members of both kinds", { prompt_tokens: 1, output_tokens: 1 }],
  ["a negative count", { prompt_tokens: -1, completion_tokens: 1 }],
  ["a fractional count", { prompt_tokens: 1.5, completion_tokens: 1 }],
  ["a count that is a string", { prompt_tokens: "1", completion_tokens: 1 }],
  ["a count above the largest safe integer", { prompt_tokens: 2 ** 53, completion_tokens: 1 }],
])("a usage block with %s is not billed from", (_, block) => {
  expect(readUsage(block)).toBeUndefined();
});

test("details that are not an object are dropped", () => {
  const block = { prompt_tokens: 1, completion_tokens: 1 };
  const usage = readUsage({ ...block, prompt_tokens_details: 7, completion_tokens_details: null });
  expect(usage).toMatchObject({ details: {}, cachedTokens: 0n });
});

test("a tool without a price is recorded at zero, and at most sixteen tools are", () => {
  const server_tool_use = {
    web_search_requests: 2,
    web_fetch_requests: 3,
    bad_requests: -1,
    "Odd Name_requests": 1,
  };
  const block = { input_tokens: 0, output_tokens: 0, server_tool_use };
  expect(measured(block, slotAt(claudePrices)).lines.slice(2)).toEqual([
    { dimension: "tool:web_search", quantity: 2n, price: { picoUsd: 10n ** 10n, per: 1n } },
    { dimension: "tool:web_fetch", quantity: 3n, price: { picoUsd: 0n, per: 1n } },
  ]);
  const many = Array.from({ length: 99 }, (_, index) => [`t${"x".repeat(index)}_requests`, 1]);
  const used = { ...block, server_tool_use: Object.fromEntries(many) };
  expect(readUsage(used)?.toolCalls).toHaveLength(16);
});

test("whatever a provider counts, no line is negative and the tokens sum to their totals", () => {
  const count = fc.oneof(fc.integer({ min: -5, max: 300 }), fc.constantFrom(null, "5", 1.5, {}));
  const members = (...names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, count])), { requiredKeys: [] });
  const total = fc.nat({ max: 200 });
  const prompt = members("cached_tokens", "cache_write_tokens", "audio_tokens");
  const completion = members("reasoning_tokens", "audio_tokens");
  const audio = fc.array(
    fc.record({ modality: fc.constantFrom("TEXT", "AUDIO"), tokenCount: count }),
  );
  const lifetimes = members("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens");
  const block = fc.oneof(
    fc.record({
      prompt_tokens: total,
      completion_tokens: total,
      prompt_cache_hit_tokens: count,
      num_cached_tokens: count,
      prompt_tokens_details: prompt,
      completion_tokens_details: completion,
    }),
    fc.record({
      input_tokens: total,
      output_tokens: total,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      cache_creation: lifetimes,
    }),
    fc.record({
      promptTokenCount: total,
      candidatesTokenCount: count,
      totalTokenCount: count,
      cachedContentTokenCount: count,
      thoughtsTokenCount: count,
      toolUsePromptTokenCount: count,
      promptTokensDetails: audio,
      cacheTokensDetails: audio,
      candidatesTokensDetails: audio,
    }),
  );
  const slots = [openAi, claudePrices, vllm].map(slotAt);
  fc.assert(
    fc.property(block, fc.constantFrom(...slots), (reported, slot) => {
      const { usage, lines } = measured(reported, slot);
      expect(lines.every(({ quantity }) => quantity >= 0n)).toBe(true);
      const sum = lines.reduce((tokens, { quantity }) => tokens + quantity, 0n);
      expect(sum).toBe(usage.promptTokens + usage.completionTokens);
    }),
  );
});
