import { type CostCase, geminiPrices, testCosts } from "../../../test/usage-prices.ts";

const cases: readonly CostCase[] = [
  [
    "no thoughts: 8 × 1.25 + 12 × 10 = 130",
    {
      promptTokenCount: 8,
      candidatesTokenCount: 12,
      totalTokenCount: 20,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 8 }],
      candidatesTokensDetails: [{ modality: "TEXT", tokenCount: 12 }],
    },
    "0.000130",
  ],
  [
    "thoughts besides the candidates: 11 × 1.25 + (84 + 1,193) × 10 = 12,783.75",
    {
      promptTokenCount: 11,
      candidatesTokenCount: 84,
      totalTokenCount: 1288,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 11 }],
      thoughtsTokenCount: 1193,
      serviceTier: "standard",
    },
    "0.012784",
  ],
  [
    "a hit of the cache, which the prompt includes: 1,236 × 1.25 + 140,000 × 0.125 + 95 × 10 = 19,995",
    {
      promptTokenCount: 141236,
      candidatesTokenCount: 95,
      totalTokenCount: 141331,
      cachedContentTokenCount: 140000,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 141236 }],
      cacheTokensDetails: [{ modality: "TEXT", tokenCount: 140000 }],
    },
    "0.019995",
  ],
  [
    "an image is input: (258 + 6) × 1.25 + 40 × 10 = 730",
    {
      promptTokenCount: 264,
      candidatesTokenCount: 40,
      totalTokenCount: 304,
      promptTokensDetails: [
        { modality: "IMAGE", tokenCount: 258 },
        { modality: "TEXT", tokenCount: 6 },
      ],
    },
    "0.000730",
  ],
  [
    "audio of which a part is cached: 50 × 1.25 + 250 × 0.125 + 120 × 3 + 10 × 10 = 553.75",
    {
      promptTokenCount: 420,
      candidatesTokenCount: 10,
      totalTokenCount: 430,
      cachedContentTokenCount: 250,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 100 },
        { modality: "AUDIO", tokenCount: 320 },
      ],
      cacheTokensDetails: [
        { modality: "TEXT", tokenCount: 50 },
        { modality: "AUDIO", tokenCount: 200 },
      ],
    },
    "0.000554",
  ],
  [
    "the prompt of a tool that the provider runs: (20 + 80) × 1.25 + 30 × 10 = 425",
    {
      promptTokenCount: 20,
      candidatesTokenCount: 30,
      totalTokenCount: 130,
      toolUsePromptTokenCount: 80,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 20 }],
      toolUsePromptTokensDetails: [{ modality: "TEXT", tokenCount: 80 }],
    },
    "0.000425",
  ],
  [
    "a long prompt, at the tier's prices: 50,001 × 2.50 + 150,000 × 0.25 + 1,000 × 15 = 177,502.5",
    {
      promptTokenCount: 200001,
      candidatesTokenCount: 400,
      totalTokenCount: 201001,
      cachedContentTokenCount: 150000,
      thoughtsTokenCount: 600,
    },
    "0.177503",
  ],
  [
    "an output limit that the thoughts used up: 10 × 1.25 + 500 × 10 = 5,012.5",
    { promptTokenCount: 10, totalTokenCount: 510, thoughtsTokenCount: 500 },
    "0.005013",
  ],
  [
    "a total without its parts: 10 × 1.25 + (40 - 10 - 5 + 5) × 10 = 312.5",
    { promptTokenCount: 10, totalTokenCount: 40, thoughtsTokenCount: 5 },
    "0.000313",
  ],
  ["a blocked prompt: 8 × 1.25 = 10", { promptTokenCount: 8, totalTokenCount: 8 }, "0.000010"],
  [
    "more cached tokens than the prompt has, and members that are null: 10 × 0.125 + 10 = 11.25",
    {
      promptTokenCount: 10,
      candidatesTokenCount: 1,
      totalTokenCount: 11,
      cachedContentTokenCount: 50,
      thoughtsTokenCount: null,
      promptTokensDetails: null,
    },
    "0.000012",
  ],
];

testCosts("Gemini", "google", geminiPrices, cases);
