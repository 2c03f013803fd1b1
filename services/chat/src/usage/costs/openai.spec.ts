import { type CostCase, openAi, testCosts } from "../../../test/usage-prices.ts";

const cases: readonly CostCase[] = [
  [
    "19 × 2.50 + 10 × 10 = 147.5",
    {
      prompt_tokens: 19,
      completion_tokens: 10,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    "0.000148",
  ],
  [
    "of 2,006 prompt tokens, 1,920 are cached: 86 × 2.50 + 1,920 × 1.25 + 300 × 10 = 5,615",
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
    "0.005615",
  ],
  [
    "reasoning without a price is output: 75 × 2.50 + 1,186 × 10 = 12,047.5",
    {
      prompt_tokens: 75,
      completion_tokens: 1186,
      total_tokens: 1261,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 1024 },
    },
    "0.012048",
  ],
  [
    "audio both ways: 100 × 2.50 + 200 × 40 + 30 × 10 + 120 × 80 = 18,150",
    {
      prompt_tokens: 300,
      completion_tokens: 150,
      total_tokens: 450,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 200 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 120 },
    },
    "0.018150",
  ],
  [
    "a block without details, as older models send it: 1 × 2.50",
    { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 },
    "0.000003",
  ],
  [
    "more cached tokens than the prompt has: 100 × 1.25 + 10 × 10 = 225",
    {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 150 },
    },
    "0.000225",
  ],
  [
    "cached and audio tokens exceed the prompt: 80 × 1.25 + 20 × 40 = 900",
    {
      prompt_tokens: 100,
      completion_tokens: 0,
      prompt_tokens_details: { cached_tokens: 80, audio_tokens: 50 },
    },
    "0.000900",
  ],
  [
    "more audio than the completion has: 10 × 80 = 800",
    { prompt_tokens: 0, completion_tokens: 10, completion_tokens_details: { audio_tokens: 30 } },
    "0.000800",
  ],
];

testCosts("OpenAI", "openai", openAi, cases);
