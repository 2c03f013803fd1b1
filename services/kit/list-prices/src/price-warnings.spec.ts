import { parseCatalog } from "@tollgate/catalog/parse";
import { vendors } from "@tollgate/providers";
import { describe, expect, test } from "vitest";
import { loadListPrices } from "./list-prices.ts";
import { priceWarnings } from "./price-warnings.ts";

const prices = await loadListPrices(new Date("2026-10-01"));

function warningsOf(models: string): string[] {
  const text = `
providers:
  openai: { base_url: "https://api.openai.com/v1/" }
  house: { base_url: "https://api.openai.com/v1" }
  anthropic: { base_url_env: ANTHROPIC_URL }
  mistral: { base_url: "http://gpu-1:8000/v1" }
models:
${models}`;
  return priceWarnings(parseCatalog(text, vendors), prices);
}

const chat = (pricing: string, ...slots: string[]) =>
  `  - { alias: m${slots.length}, route_type: chat, context_tokens: 1000, max_output_tokens: 10,
      pricing: { ${pricing} }, chain: [${slots.join(", ")}] }`;

const gpt4o = "{ provider: openai, model: gpt-4o }";
const sonnet = "{ provider: anthropic, model: claude-sonnet-4-5 }";
const search = '"tool:web_search": "0.01"';
const slot = "models[0] (m1).chain[0]:";

test("prices at the provider's list price or above it have no warning", () => {
  const list = `input: "2.50", cached_input: "1.25", output: "10", ${search}`;
  expect(warningsOf(chat(list, gpt4o))).toEqual([]);
  const higher = `per: 1000, input: "0.003", cached_input: "0.003", output: "0.02", ${search}`;
  expect(warningsOf(chat(higher, gpt4o))).toEqual([]);
});

test("each price below the provider's list price has a warning, per million of its unit", () => {
  const pricing = 'per: 1000, input: "0.002", cached_input: "0.00124", output: "0.01"';
  expect(warningsOf(chat(`${pricing}, "tool:web_search": "0.001"`, gpt4o))).toEqual([
    `${slot} input "2.00" is below the list price: openai/gpt-4o costs "2.50"`,
    `${slot} cached_input "1.24" is below the list price: openai/gpt-4o costs "1.25"`,
    `${slot} tool:web_search "0.001" is below the list price: openai/gpt-4o costs "0.01"`,
  ]);
});

test("a dimension with a list price of its own and no price has a warning", () => {
  const haiku = "{ provider: anthropic, model: claude-haiku-4-5 }";
  expect(warningsOf(chat('input: "1", cache_write_1h: "1", output: "5"', haiku))).toEqual([
    `${slot} cached_input has no price, and costs "1.00"; anthropic/claude-haiku-4-5 costs "0.10"`,
    `${slot} cache_write has no price, and costs "1.00"; anthropic/claude-haiku-4-5 costs "1.25"`,
    `${slot} cache_write_1h "1.00" is below the list price: anthropic/claude-haiku-4-5 costs "2.00"`,
    `${slot} tool:web_search has no price, and costs nothing; ` +
      'anthropic/claude-haiku-4-5 costs "0.01"',
  ]);
});

describe("a provider with other prices for long prompts", () => {
  const base = `input: "3", cached_input: "0.30", cache_write: "3.75", cache_write_1h: "6",
      output: "15", ${search}`;
  const tier = `above_input_tokens: 200000, input: "6", cached_input: "0.60", cache_write: "7.50",
      cache_write_1h: "12", output: "22.50"`;

  test("has no warning where a tier has them", () => {
    expect(warningsOf(chat(`${base}, tiers: [{ ${tier} }]`, sonnet))).toEqual([]);
    const earlier = tier.replace("200000", "100000");
    expect(warningsOf(chat(`${base}, tiers: [{ ${earlier} }]`, sonnet))).toEqual([]);
  });

  test("has a warning where there is no tier", () => {
    expect(warningsOf(chat(base, sonnet))).toEqual([
      `${slot} prompts of more than 200000 tokens cost more, and have no tier: ` +
        'anthropic/claude-sonnet-4-5 costs "6.00" for input',
    ]);
  });

  test("has a warning for each price of a tier that is below the list price", () => {
    const lower = tier.replace('input: "6"', 'input: "5"').replace("22.50", "22");
    const listed = "anthropic/claude-sonnet-4-5 with more than 200000 input tokens costs";
    expect(warningsOf(chat(`${base}, tiers: [{ ${lower} }]`, sonnet))).toEqual([
      `${slot} input "5.00" is below the list price: ${listed} "6.00"`,
      `${slot} output "22.00" is below the list price: ${listed} "22.50"`,
    ]);
  });
});

test("each slot is compared by its own price and the address of its provider", () => {
  const own = `pricing: { input: "1", cached_input: "9", output: "99", ${search} }`;
  const models = [
    "{ provider: house, model: gpt-4o-mini }",
    `{ provider: openai, model: gpt-4o, ${own} }`,
    "{ provider: mistral, model: mistral-large-2512 }",
    "{ provider: openai, model: our-fine-tune }",
  ];
  const others = `  - { alias: e, route_type: embeddings, pricing: { input: "0.01" },
      chain: [{ provider: openai, model: text-embedding-3-small }] }
  - { alias: v, route_type: speech, max_characters: 9, pricing: { per: 1, price: "0" },
      chain: [{ provider: openai, model: tts-1 }] }`;
  const pricing = `input: "0.15", cached_input: "0.075", output: "0.60", ${search}`;
  expect(warningsOf(`${chat(pricing, ...models)}\n${others}`)).toEqual([
    'models[0] (m4).chain[1]: input "1.00" is below the list price: openai/gpt-4o costs "2.50"',
    'models[1] (e).chain[0]: input "0.01" is below the list price: ' +
      'openai/text-embedding-3-small costs "0.02"',
  ]);
});
