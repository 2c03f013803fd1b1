import { costOf, formatUsd } from "@tollgate/core/money";
import { describe, expect, test } from "vitest";
import {
  claudePrices,
  geminiPrices,
  measured,
  mistralPrices,
  openAi,
  slotAt,
  vllm,
} from "../test/usage-prices.ts";

type Case = readonly [what: string, block: unknown, cost: string];

const openAiCases: readonly Case[] = [
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

const openRouterCases: readonly Case[] = [
  [
    "a cache write: 94 × 3 + 100 × 3.75 + 2 × 15 = 687",
    {
      completion_tokens: 2,
      completion_tokens_details: { reasoning_tokens: 0 },
      cost: 0.95,
      cost_details: { upstream_inference_cost: 19 },
      prompt_tokens: 194,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100, audio_tokens: 0 },
      total_tokens: 196,
    },
    "0.000687",
  ],
  [
    "a cache read: 21 × 3 + 10,318 × 0.30 + 60 × 15 = 4,058.4",
    {
      prompt_tokens: 10339,
      completion_tokens: 60,
      total_tokens: 10399,
      cost: 0.0040584,
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 10318, audio_tokens: 0, video_tokens: 0 },
      cost_details: { upstream_inference_cost: null },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
    },
    "0.004059",
  ],
  [
    "an agent's turn: 10 × 3 + 48,000 × 0.30 + 4,400 × 3.75 + 812 × 15 = 43,110",
    {
      prompt_tokens: 52410,
      completion_tokens: 812,
      total_tokens: 53222,
      prompt_tokens_details: { cached_tokens: 48000, cache_write_tokens: 4400 },
      completion_tokens_details: { reasoning_tokens: 300 },
    },
    "0.043110",
  ],
  [
    "two searches: 12,000 × 3 + 500 × 15 + 2 × 10,000 = 63,500",
    {
      prompt_tokens: 12000,
      completion_tokens: 500,
      total_tokens: 12500,
      server_tool_use: { web_search_requests: 2 },
    },
    "0.063500",
  ],
  [
    "a long prompt, all of it at the tier's prices: 6 + 150,000 × 0.60 + 50,000 × 7.50 + 22,500",
    {
      prompt_tokens: 200001,
      completion_tokens: 1000,
      total_tokens: 201001,
      prompt_tokens_details: { cached_tokens: 150000, cache_write_tokens: 50000 },
    },
    "0.487506",
  ],
  [
    "a prompt of exactly the tier's length is below it: 200,000 × 3 + 1,000 × 15",
    { prompt_tokens: 200000, completion_tokens: 1000, total_tokens: 201000 },
    "0.615000",
  ],
  [
    "images in the output are output: 1,000 × 3 + 1,290 × 15 = 22,350",
    {
      prompt_tokens: 1000,
      completion_tokens: 1290,
      total_tokens: 2290,
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 1290 },
    },
    "0.022350",
  ],
  [
    "reads and writes exceed the prompt: 90 × 0.30 + 10 × 3.75 + 1 × 15 = 79.5",
    {
      prompt_tokens: 100,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 90 },
    },
    "0.000080",
  ],
];

const deepSeek = { input: "0.28", cached_input: "0.028", output: "0.42" };
const deepSeekCases: readonly Case[] = [
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
    "a hit: 36 × 0.28 + 64 × 0.028 + 50 × 0.42 = 32.872",
    {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 64 },
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
    },
    "0.000033",
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

const vllmCases: readonly Case[] = [
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

const anthropicCases: readonly Case[] = [
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

const geminiCases: readonly Case[] = [
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

const grok = { input: "3", cached_input: "0.75", output: "15" };
const xaiCases: readonly Case[] = [
  [
    "reasoning beside the completion: 26 × 3 + 6 × 0.75 + (9 + 94) × 15 = 1,627.5",
    {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: {
        text_tokens: 32,
        audio_tokens: 0,
        image_tokens: 0,
        cached_tokens: 6,
      },
      completion_tokens_details: {
        reasoning_tokens: 94,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: 0,
    },
    "0.001628",
  ],
  [
    "a long one: 9,992 × 3 + 128 × 0.75 + (1,499 + 2,809) × 15 = 94,692",
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
    "a total that does not include reasoning: 12 × 3 + 20 × 15 = 336",
    {
      prompt_tokens: 12,
      completion_tokens: 20,
      total_tokens: 32,
      completion_tokens_details: { reasoning_tokens: 15 },
    },
    "0.000336",
  ],
];

const mistralCases: readonly Case[] = [
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

const bedrockCases: readonly Case[] = [
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

const cohereCases: readonly Case[] = [
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

describe.each([
  ["OpenAI", openAi, openAiCases],
  ["OpenRouter", claudePrices, openRouterCases],
  ["DeepSeek", deepSeek, deepSeekCases],
  ["vLLM", vllm, vllmCases],
  ["Anthropic", claudePrices, anthropicCases],
  ["Gemini", geminiPrices, geminiCases],
  ["xAI", grok, xaiCases],
  ["Mistral", mistralPrices, mistralCases],
  ["Bedrock", claudePrices, bedrockCases],
  ["Cohere", openAi, cohereCases],
])("a usage block of %s costs what is computed by hand, in micro-USD", (_, pricing, cases) => {
  const slot = slotAt(pricing);
  test.each(cases)("%s", (_what, block, cost) => {
    expect(formatUsd(costOf(measured(block, slot).lines))).toBe(cost);
  });
});
