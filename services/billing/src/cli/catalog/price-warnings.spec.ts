import { parseCatalog } from "@tollgate/catalog/parse";
import { expect, test } from "vitest";
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
  return priceWarnings(parseCatalog(text), prices);
}

const chat = (pricing: string, ...slots: string[]) =>
  `  - { alias: m${slots.length}, route_type: chat, context_tokens: 1000, max_output_tokens: 10,
      pricing: { ${pricing} }, chain: [${slots.join(", ")}] }`;

const gpt4o = "{ provider: openai, model: gpt-4o }";

test("prices at the provider's list price or above it have no warning", () => {
  const list = 'input: "2.50", cached_input: "1.25", output: "10"';
  expect(warningsOf(chat(list, gpt4o))).toEqual([]);
  const higher = 'per: 1000, input: "0.003", cached_input: "0.003", output: "0.02"';
  expect(warningsOf(chat(higher, gpt4o))).toEqual([]);
});

test("each price below the provider's list price has a warning, per million of its unit", () => {
  const pricing = 'per: 1000, input: "0.002", cached_input: "0.00124", output: "0.01"';
  expect(warningsOf(chat(pricing, gpt4o))).toEqual([
    'models[0] (m1).chain[0]: input "2.00" is below the list price of openai/gpt-4o, "2.50"',
    'models[0] (m1).chain[0]: cached_input "1.24" is below the list price of openai/gpt-4o, "1.25"',
  ]);
});

test("a dimension that the provider bills apart and that has no price has a warning", () => {
  expect(warningsOf(chat('input: "2.50", output: "10"', gpt4o))).toEqual([
    'models[0] (m1).chain[0]: cached_input has no price, and costs "2.50" as input; ' +
      'the list price of openai/gpt-4o is "1.25"',
  ]);
});

test("a provider that bills long prompts at other prices has a warning", () => {
  const pricing = 'input: "3", cached_input: "0.30", output: "15"';
  expect(warningsOf(chat(pricing, "{ provider: anthropic, model: claude-sonnet-4-5 }"))).toEqual([
    "models[0] (m1).chain[0]: anthropic/claude-sonnet-4-5 costs more with over 200000 input " +
      'tokens, "6.00" for input',
  ]);
});

test("each slot is compared by its own price and the address of its provider", () => {
  const own = 'pricing: { input: "1", cached_input: "9", output: "99" }';
  const models = [
    "{ provider: house, model: gpt-4o-mini }",
    `{ provider: openai, model: gpt-4o, ${own} }`,
    "{ provider: mistral, model: mistral-large-2512 }",
    "{ provider: openai, model: our-fine-tune }",
  ];
  const embeddings = `  - { alias: e, route_type: embeddings, pricing: { input: "0.01" },
      chain: [{ provider: openai, model: text-embedding-3-small }] }
  - { alias: v, route_type: speech, max_characters: 9, pricing: { per: 1, price: "0" },
      chain: [{ provider: openai, model: tts-1 }] }`;
  const pricing = 'input: "0.15", cached_input: "0.075", output: "0.60"';
  expect(warningsOf(`${chat(pricing, ...models)}\n${embeddings}`)).toEqual([
    'models[0] (m4).chain[1]: input "1.00" is below the list price of openai/gpt-4o, "2.50"',
    'models[1] (e).chain[0]: input "0.01" is below the list price of ' +
      'openai/text-embedding-3-small, "0.02"',
  ]);
});
