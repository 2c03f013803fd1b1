import { type CostCase, claudePrices, testCosts } from "../../../test/usage-prices.ts";

const cases: readonly CostCase[] = [
  [
    "a cache read: 21 × 3 + 10,318 × 0.30 + 60 × 15 = 4,058.4",
    {
      prompt_tokens: 10339,
      completion_tokens: 60,
      total_tokens: 10399,
      cost: 0.0040584,
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 10318, audio_tokens: 0, video_tokens: 0 },
      cost_details: { upstream_inference_cost: null },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
    },
    "0.004059",
  ],
  [
    "an agent's turn: 10 × 3 + 48,000 × 0.30 + 4,400 × 3.75 + 812 × 15 = 43,110",
    {
      prompt_tokens: 52410,
      completion_tokens: 812,
      total_tokens: 53222,
      prompt_tokens_details: { cached_tokens: 48000, cache_write_tokens: 4400 },
      completion_tokens_details: { reasoning_tokens: 300 },
    },
    "0.043110",
  ],
  [
    "two searches: 12,000 × 3 + 500 × 15 + 2 × 10,000 = 63,500",
    {
      prompt_tokens: 12000,
      completion_tokens: 500,
      total_tokens: 12500,
      server_tool_use: { web_search_requests: 2 },
    },
    "0.063500",
  ],
  [
    "a long prompt, all of it at the tier's prices: 6 + 150,000 × 0.60 + 50,000 × 7.50 + 22,500",
    {
      prompt_tokens: 200001,
      completion_tokens: 1000,
      total_tokens: 201001,
      prompt_tokens_details: { cached_tokens: 150000, cache_write_tokens: 50000 },
    },
    "0.487506",
  ],
  [
    "a prompt of exactly the tier's length is below it: 200,000 × 3 + 1,000 × 15",
    { prompt_tokens: 200000, completion_tokens: 1000, total_tokens: 201000 },
    "0.615000",
  ],
  [
    "images in the output are output: 1,000 × 3 + 1,290 × 15 = 22,350",
    {
      prompt_tokens: 1000,
      completion_tokens: 1290,
      total_tokens: 2290,
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 1290 },
    },
    "0.022350",
  ],
  [
    "reads and writes exceed the prompt: 90 × 0.30 + 10 × 3.75 + 1 × 15 = 79.5",
    {
      prompt_tokens: 100,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 90 },
    },
    "0.000080",
  ],
];

testCosts("OpenRouter", "openai", claudePrices, cases);
