import { type CostCase, mistralPrices, testCosts } from "../../../test/usage-prices.ts";

const cases: readonly CostCase[] = [
  [
    "no cache: 16 × 0.50 + 34 × 1.50 = 59",
    { prompt_tokens: 16, completion_tokens: 34, total_tokens: 50 },
    "0.000059",
  ],
  [
    "a hit by its number alone: 36 × 0.50 + 64 × 0.05 + 20 × 1.50 = 51.2",
    { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, num_cached_tokens: 64 },
    "0.000052",
  ],
  [
    "a hit in both members counts once: 672 × 0.50 + 1,328 × 0.05 + 100 × 1.50 = 552.4",
    {
      prompt_tokens: 2000,
      completion_tokens: 100,
      total_tokens: 2100,
      num_cached_tokens: 1328,
      prompt_tokens_details: { cached_tokens: 1328 },
    },
    "0.000553",
  ],
  [
    "thinking is output: 20 × 0.50 + 1,500 × 1.50 = 2,260",
    {
      prompt_tokens: 20,
      completion_tokens: 1500,
      total_tokens: 1520,
      prompt_audio_seconds: null,
      num_cached_tokens: 0,
    },
    "0.002260",
  ],
  [
    "more cached tokens than the prompt has: 10 × 0.05 + 1 × 1.50 = 2",
    { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11, num_cached_tokens: 50 },
    "0.000002",
  ],
];

testCosts("Mistral", "mistral", mistralPrices, cases);
