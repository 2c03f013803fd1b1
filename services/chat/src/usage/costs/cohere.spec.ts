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
    "a hit of the cache is no part of what is billed: 98 × 2.50 + 10 × 10 = 345",
    {
      billed_units: { input_tokens: 98, output_tokens: 10 },
      tokens: { input_tokens: 1508, output_tokens: 12 },
      cached_tokens: 1472,
    },
    "0.000345",
  ],
  [
    "without billed units it is a part of the tokens: 36 × 2.50 + 1,472 × 1.25 + 12 × 10 = 2,050",
    { tokens: { input_tokens: 1508, output_tokens: 12 }, cached_tokens: 1472 },
    "0.002050",
  ],
];

testCosts("Cohere", "cohere", openAi, cases);
