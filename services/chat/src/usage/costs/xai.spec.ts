import { type CostCase, testCosts } from "../../../test/usage-prices.ts";

const grok = { input: "3", cached_input: "0.75", output: "15" };

const cases: readonly CostCase[] = [
  [
    "reasoning beside the completion: 9,992 × 3 + 128 × 0.75 + (1,499 + 2,809) × 15 = 94,692",
    {
      prompt_tokens: 10120,
      completion_tokens: 1499,
      total_tokens: 14428,
      prompt_tokens_details: { cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2809 },
    },
    "0.094692",
  ],
  [
    "all of the output is reasoning: 12 × 3 + 500 × 15 = 7,536",
    {
      prompt_tokens: 12,
      completion_tokens: 0,
      total_tokens: 512,
      completion_tokens_details: { reasoning_tokens: 500 },
    },
    "0.007536",
  ],
  [
    "a model that does not reason: 12 × 3 + 20 × 15 = 336",
    {
      prompt_tokens: 12,
      completion_tokens: 20,
      total_tokens: 32,
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    "0.000336",
  ],
  [
    // https://docs.x.ai/docs/key-information/consumption-and-rate-limits
    "a total that does not include reasoning, which is billed all the same: 12 × 3 + 35 × 15 = 561",
    {
      prompt_tokens: 12,
      completion_tokens: 20,
      total_tokens: 32,
      completion_tokens_details: { reasoning_tokens: 15 },
    },
    "0.000561",
  ],
  [
    "a block without a total: 32 × 3 + (9 + 94) × 15 = 1,641",
    {
      prompt_tokens: 32,
      completion_tokens: 9,
      completion_tokens_details: { reasoning_tokens: 94 },
    },
    "0.001641",
  ],
  [
    "a response, whose output includes reasoning: 32 × 3 + 103 × 15 = 1,641",
    {
      input_tokens: 32,
      output_tokens: 103,
      total_tokens: 135,
      output_tokens_details: { reasoning_tokens: 94 },
    },
    "0.001641",
  ],
];

testCosts("xAI", "xai", grok, cases);
