import { costOf, formatUsd } from "@tollgate/core/money";
import type { vendors } from "@tollgate/providers";
import { describe, expect, test } from "vitest";
import { measured, slotAt } from "../../../test/usage-prices.ts";

type Kind = keyof typeof vendors;

/** In USD per million tokens, so micro-USD a token. */
const prices = {
  input: "10",
  cached_input: "1",
  cache_write: "12.50",
  cache_write_1h: "20",
  output: "100",
  "tool:web_search": "0.01",
};

/** A usage block as a vendor writes it, with what it costs and how much of it is reasoning. */
type Row = readonly [
  vendor: string,
  kind: Kind,
  block: object,
  sum: string,
  microUsd: number,
  reasoning?: number,
];

const rows: readonly Row[] = [
  [
    "OpenAI",
    "openai",
    {
      prompt_tokens: 1117,
      completion_tokens: 46,
      total_tokens: 1163,
      prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 32, rejected_prediction_tokens: 0 },
    },
    "93 × 10 + 1,024 + 46 × 100",
    6_554,
    32,
  ],
  [
    "OpenAI, Responses",
    "openai",
    {
      input_tokens: 36,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 87,
      output_tokens_details: { reasoning_tokens: 64 },
      total_tokens: 123,
    },
    "36 × 10 + 87 × 100",
    9_060,
    64,
  ],
  [
    "Azure",
    "azure",
    {
      completion_tokens: 9,
      completion_tokens_details: null,
      prompt_tokens: 33,
      prompt_tokens_details: null,
      total_tokens: 42,
    },
    "33 × 10 + 9 × 100",
    1_230,
  ],
  [
    "DeepSeek",
    "openai",
    {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 40 },
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
    },
    "36 × 10 + 64 + 50 × 100",
    5_424,
    40,
  ],
  [
    "Groq",
    "openai",
    {
      queue_time: 0.047,
      prompt_tokens: 40,
      prompt_time: 0.002,
      completion_tokens: 12,
      completion_time: 0.03,
      total_tokens: 52,
      total_time: 0.032,
    },
    "40 × 10 + 12 × 100",
    1_600,
  ],
  [
    "OpenRouter",
    "openai",
    {
      prompt_tokens: 194,
      completion_tokens: 2,
      total_tokens: 196,
      cost: 0.95,
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
      cost_details: { upstream_inference_cost: 19 },
    },
    "94 × 10 + 100 × 12.50 + 2 × 100",
    2_390,
  ],
  [
    "xAI",
    "xai",
    {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: {
        text_tokens: 32,
        audio_tokens: 0,
        image_tokens: 0,
        cached_tokens: 6,
      },
      completion_tokens_details: {
        reasoning_tokens: 94,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: 0,
    },
    "26 × 10 + 6 + (9 + 94) × 100",
    10_566,
    94,
  ],
  [
    "Anthropic",
    "anthropic",
    {
      input_tokens: 4,
      cache_creation_input_tokens: 300,
      cache_read_input_tokens: 2000,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 30 },
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
      service_tier: "standard",
      inference_geo: "global",
    },
    "4 × 10 + 2,000 + 100 × 12.50 + 200 × 20 + 50 × 100 + 10,000",
    22_290,
    30,
  ],
  [
    "Anthropic, more thinking than output",
    "anthropic",
    { input_tokens: 1, output_tokens: 5, output_tokens_details: { thinking_tokens: 9 } },
    "10 + 5 × 100",
    510,
    5,
  ],
  [
    "Anthropic, without details",
    "anthropic",
    { input_tokens: 1, output_tokens: 5, output_tokens_details: null, cache_creation: null },
    "10 + 5 × 100",
    510,
  ],
  [
    "Gemini",
    "google",
    {
      promptTokenCount: 1000,
      cachedContentTokenCount: 600,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 80,
      toolUsePromptTokenCount: 50,
      totalTokenCount: 1150,
      trafficType: "ON_DEMAND",
    },
    "450 × 10 + 600 + 100 × 100",
    15_100,
    80,
  ],
  [
    "Bedrock",
    "bedrock",
    {
      inputTokens: 5,
      outputTokens: 7,
      totalTokens: 1012,
      cacheReadInputTokens: 800,
      cacheWriteInputTokens: 200,
      cacheReadInputTokenCount: 800,
      cacheWriteInputTokenCount: 200,
    },
    "5 × 10 + 800 + 200 × 12.50 + 7 × 100",
    4_050,
  ],
  [
    "Mistral",
    "mistral",
    {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      num_cached_tokens: 64,
      prompt_audio_seconds: {},
    },
    "36 × 10 + 64 + 10 × 100",
    1_424,
  ],
  [
    "Cohere",
    "cohere",
    {
      billed_units: { input_tokens: 98.0, output_tokens: 3.0 },
      tokens: { input_tokens: 1508, output_tokens: 5 },
      cached_tokens: 1472,
    },
    "98 × 10 + 3 × 100",
    1_280,
  ],
  [
    "vLLM",
    "openai",
    { prompt_tokens: 9, total_tokens: 16, completion_tokens: 7, prompt_tokens_details: null },
    "9 × 10 + 7 × 100",
    790,
  ],
  [
    "counts that are text",
    "openai",
    {
      prompt_tokens: "100",
      completion_tokens: "10",
      total_tokens: "110",
      prompt_tokens_details: { cached_tokens: "64" },
    },
    "36 × 10 + 64 + 10 × 100",
    1_424,
  ],
  [
    "fractions, rounded up",
    "cohere",
    { billed_units: { input_tokens: 97.2, output_tokens: 2.5 } },
    "98 × 10 + 3 × 100",
    1_280,
  ],
  [
    "details with a count below zero",
    "openai",
    {
      prompt_tokens: 10,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: -5 },
      completion_tokens_details: { reasoning_tokens: -1 },
    },
    "10 × 10 + 100",
    200,
  ],
  [
    "details that are missing or null",
    "anthropic",
    { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: null, server_tool_use: null },
    "10 × 10 + 100",
    200,
  ],
];

describe("a usage block as it is written", () => {
  const titled = rows.map((row) => [`${row[0]}: ${row[3]} = ${row[4]} micro-USD`, row] as const);

  test.each(titled)("%s", (_, [, kind, block, , microUsd, reasoning = 0]) => {
    const { usage, lines } = measured(block, slotAt(prices, kind));
    expect(formatUsd(costOf(lines))).toBe((microUsd / 1_000_000).toFixed(6));
    expect(usage.reasoningTokens).toBe(BigInt(reasoning));
  });

  test("has a line of reasoning where that has a price, for each vendor that reports it", () => {
    for (const [vendor, kind, block, , , reasoning = 0] of rows) {
      const { lines } = measured(block, slotAt({ ...prices, reasoning: "50" }, kind));
      const line = lines.find(({ dimension }) => dimension === "reasoning");
      expect([vendor, line?.quantity ?? 0n]).toEqual([vendor, BigInt(reasoning)]);
    }
  });
});
