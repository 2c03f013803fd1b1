import { type CostCase, openAi, testCosts } from "../../../test/usage-prices.ts";

const cases: readonly CostCase[] = [
  [
    "billed units, not tokens: 5 × 2.50 + 418 × 10 = 4,192.5",
    {
      billed_units: { input_tokens: 5, output_tokens: 418 },
      tokens: { input_tokens: 71, output_tokens: 418 },
    },
    "0.004193",
  ],
  [
    "tokens where nothing is billed apart: 71 × 2.50 + 418 × 10 = 4,357.5",
    { billed_units: null, tokens: { input_tokens: 71, output_tokens: 418 } },
    "0.004358",
  ],
  [
    "a hit of the cache: 36 × 2.50 + 64 × 1.25 + 10 × 10 = 270",
    {
      billed_units: { input_tokens: 100, output_tokens: 10 },
      tokens: { input_tokens: 160, output_tokens: 12 },
      cached_tokens: 64,
    },
    "0.000270",
  ],
];

testCosts("Cohere", "cohere", openAi, cases);
