import { type CostCase, claudePrices, testCosts } from "../../../test/usage-prices.ts";

const cases: readonly CostCase[] = [
  [
    "no cache: 25 × 3 + 13 × 15 = 270",
    { input_tokens: 25, output_tokens: 13, service_tier: "standard" },
    "0.000270",
  ],
  [
    "a first request writes: 21 × 3 + 188,086 × 3.75 + 393 × 15 = 711,280.5",
    {
      input_tokens: 21,
      cache_creation_input_tokens: 188086,
      cache_read_input_tokens: 0,
      output_tokens: 393,
    },
    "0.711281",
  ],
  [
    "the next one reads: 21 × 3 + 188,086 × 0.30 + 393 × 15 = 62,383.8",
    {
      input_tokens: 21,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 188086,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 393,
    },
    "0.062384",
  ],
  [
    "both lifetimes: 2,048 × 3 + 1,800 × 0.30 + 148 × 3.75 + 100 × 6 + 503 × 15 = 15,384",
    {
      input_tokens: 2048,
      cache_read_input_tokens: 1800,
      cache_creation_input_tokens: 248,
      output_tokens: 503,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
    },
    "0.015384",
  ],
  [
    "a search, whose write has no lifetime: 315 + 2,136.9 + 7,345 × 3.75 + 90,585 + 10,000",
    {
      input_tokens: 105,
      output_tokens: 6039,
      cache_read_input_tokens: 7123,
      cache_creation_input_tokens: 7345,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      server_tool_use: { web_search_requests: 1 },
    },
    "0.130581",
  ],
  [
    "the cache counts for the tier: 10 × 6 + 190,000 × 0.60 + 10,000 × 12 + 100 × 22.50 = 236,310",
    {
      input_tokens: 10,
      cache_read_input_tokens: 190000,
      cache_creation_input_tokens: 10000,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 10000 },
      output_tokens: 100,
    },
    "0.236310",
  ],
  [
    "lifetimes that exceed their sum: 1 × 3 + 100 × 3.75 + 10 × 6 + 1 × 15 = 453",
    {
      input_tokens: 1,
      cache_creation_input_tokens: 50,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 10 },
      output_tokens: 1,
    },
    "0.000453",
  ],
  [
    "members that are null: 1 × 3 + 1 × 15 = 18",
    {
      input_tokens: 1,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      cache_creation: null,
      server_tool_use: null,
      output_tokens: 1,
    },
    "0.000018",
  ],
];

testCosts("Anthropic", "anthropic", claudePrices, cases);
