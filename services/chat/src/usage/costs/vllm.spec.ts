import { type CostCase, testCosts, vllm } from "../../../test/usage-prices.ts";

const cases: readonly CostCase[] = [
  [
    "without cache details: 20 × 0.10 + 7 × 0.40 = 4.8",
    { prompt_tokens: 20, total_tokens: 27, completion_tokens: 7, prompt_tokens_details: null },
    "0.000005",
  ],
  [
    "with a prefix hit: 4 × 0.10 + 16 × 0.01 + 7 × 0.40 = 3.36",
    {
      prompt_tokens: 20,
      total_tokens: 27,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 16 },
    },
    "0.000004",
  ],
  [
    "a long prefix hit: 16 × 0.10 + 99,984 × 0.01 + 512 × 0.40 = 1,206.24",
    {
      prompt_tokens: 100000,
      total_tokens: 100512,
      completion_tokens: 512,
      prompt_tokens_details: { cached_tokens: 99984 },
    },
    "0.001207",
  ],
  [
    "the first chunk of a stream that reports usage in each: 9 × 0.10",
    { prompt_tokens: 9, total_tokens: 9, completion_tokens: 0 },
    "0.000001",
  ],
  [
    "reasoning with a price: 1,000 × 0.10 + 112 × 0.40 + 400 × 0.20 = 224.8",
    {
      prompt_tokens: 1000,
      total_tokens: 1512,
      completion_tokens: 512,
      prompt_tokens_details: null,
      completion_tokens_details: { reasoning_tokens: 400 },
    },
    "0.000225",
  ],
  [
    "more reasoning than the completion has: 10 × 0.10 + 10 × 0.20 = 3",
    {
      prompt_tokens: 10,
      total_tokens: 20,
      completion_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 50 },
    },
    "0.000003",
  ],
];

testCosts("vLLM", "openai", vllm, cases);
