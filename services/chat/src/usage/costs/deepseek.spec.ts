import { type CostCase, testCosts } from "../../../test/usage-prices.ts";

const deepSeek = { input: "0.28", cached_input: "0.028", output: "0.42" };

const cases: readonly CostCase[] = [
  [
    "no hit: 10 × 0.28 + 11 × 0.42 = 7.42",
    {
      prompt_tokens: 10,
      completion_tokens: 11,
      total_tokens: 21,
      prompt_tokens_details: { cached_tokens: 0 },
      prompt_cache_hit_tokens: 0,
      prompt_cache_miss_tokens: 10,
    },
    "0.000008",
  ],
  [
    "a hit without details: 28 × 0.28 + 1,472 × 0.028 + 200 × 0.42 = 133.056",
    {
      prompt_tokens: 1500,
      completion_tokens: 200,
      total_tokens: 1700,
      prompt_cache_hit_tokens: 1472,
      prompt_cache_miss_tokens: 28,
    },
    "0.000134",
  ],
  [
    "a reasoner: 32 × 0.28 + 19,968 × 0.028 + 3,000 × 0.42 = 1,828.064",
    {
      prompt_tokens: 20000,
      completion_tokens: 3000,
      total_tokens: 23000,
      prompt_tokens_details: { cached_tokens: 19968 },
      completion_tokens_details: { reasoning_tokens: 2500 },
      prompt_cache_hit_tokens: 19968,
      prompt_cache_miss_tokens: 32,
    },
    "0.001829",
  ],
  [
    "a hit that the details leave out: 2 × 0.28 + 128 × 0.028 + 4 × 0.42 = 5.824",
    {
      prompt_tokens: 130,
      completion_tokens: 4,
      total_tokens: 134,
      prompt_tokens_details: { cached_tokens: 0 },
      prompt_cache_hit_tokens: 128,
      prompt_cache_miss_tokens: 2,
    },
    "0.000006",
  ],
  [
    "more hits than the prompt has: 10 × 0.028 + 1 × 0.42 = 0.7",
    { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 64 },
    "0.000001",
  ],
];

testCosts("DeepSeek", "openai", deepSeek, cases);
