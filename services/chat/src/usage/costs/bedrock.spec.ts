import { type CostCase, claudePrices, testCosts } from "../../../test/usage-prices.ts";

const cases: readonly CostCase[] = [
  [
    "no cache: 30 × 3 + 628 × 15 = 9,510",
    { inputTokens: 30, outputTokens: 628, totalTokens: 658 },
    "0.009510",
  ],
  [
    "a first request writes: 4 × 3 + 2,048 × 3.75 + 100 × 15 = 9,192",
    {
      inputTokens: 4,
      outputTokens: 100,
      totalTokens: 2152,
      cacheReadInputTokens: 0,
      cacheWriteInputTokens: 2048,
      cacheDetails: [{ inputTokens: 2048, ttl: "5m" }],
    },
    "0.009192",
  ],
  [
    "the next one reads: 4 × 3 + 2,048 × 0.30 + 100 × 15 = 2,126.4",
    {
      inputTokens: 4,
      outputTokens: 100,
      totalTokens: 2152,
      cacheReadInputTokens: 2048,
      cacheWriteInputTokens: 0,
    },
    "0.002127",
  ],
  [
    "both lifetimes: 10 × 3 + 1,800 × 0.30 + 148 × 3.75 + 100 × 6 + 50 × 15 = 2,475",
    {
      inputTokens: 10,
      outputTokens: 50,
      totalTokens: 2108,
      cacheReadInputTokens: 1800,
      cacheWriteInputTokens: 248,
      cacheDetails: [
        { inputTokens: 148, ttl: "5m" },
        { inputTokens: 100, ttl: "1h" },
      ],
    },
    "0.002475",
  ],
  [
    "a write whose sum is missing: 1 × 3 + 100 × 6 + 1 × 15 = 618",
    { inputTokens: 1, outputTokens: 1, cacheDetails: [{ inputTokens: 100, ttl: "1h" }] },
    "0.000618",
  ],
  [
    "the cache counts for the tier: 10 × 6 + 190,000 × 0.60 + 10,000 × 7.50 + 100 × 22.50 = 191,310",
    {
      inputTokens: 10,
      outputTokens: 100,
      cacheReadInputTokens: 190000,
      cacheWriteInputTokens: 10000,
    },
    "0.191310",
  ],
  [
    "members that are null: 1 × 3 + 1 × 15 = 18",
    {
      inputTokens: 1,
      outputTokens: 1,
      cacheReadInputTokens: null,
      cacheWriteInputTokens: null,
      cacheDetails: null,
    },
    "0.000018",
  ],
];

testCosts("Bedrock", "bedrock", claudePrices, cases);
