import type { Model, Prices } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import { loadListPrices, wellKnownProviders } from "@tollgate/list-prices/list-prices";
import { priceWarnings } from "@tollgate/list-prices/price-warnings";
import { vendors } from "@tollgate/providers";
import { describe, expect, test } from "vitest";
import { UsageError } from "../help.ts";
import { suggestModels } from "./suggestion.ts";

const prices = await loadListPrices(new Date("2026-10-01"));

/** Returns a catalog with suggestions as its models, as an operator pastes them. */
function catalogOf(names: readonly string[], from = prices) {
  const models = suggestModels(names, from).flatMap(({ lines }) => lines);
  const providers = new Set(names.map((name) => name.split("/", 1)[0]));
  return [
    "providers:",
    ...Array.from(providers, (name) => `  ${name}: { base_url_env: PROVIDER_URL }`),
    "models:",
    ...models,
    "",
  ].join("\n");
}

function modelOf(name: string, from = prices): Model {
  const [model] = parseCatalog(catalogOf([name], from), vendors).models.values();
  if (model === undefined) throw new Error(`${name} has no suggestion`);
  return model;
}

/** Returns the prices in USD per million tokens. */
function usdOf({ input, cached_input, cache_write, output }: Prices) {
  return [input, cached_input, cache_write, output].map((price) =>
    price === undefined ? undefined : Number((price.picoUsd * 1_000_000n) / price.per) / 1e12,
  );
}

describe("a suggested model is valid in a catalog, with the list price of its provider", () => {
  test.each([
    ["anthropic/claude-haiku-4-5", 200_000, 1, 0.1, 1.25, 5],
    ["anthropic/claude-sonnet-4-5", 200_000, 3, 0.3, 3.75, 15],
    ["anthropic/claude-opus-4-5-20251101", 200_000, 5, 0.5, 6.25, 25],
    ["openai/gpt-4o-mini", 128_000, 0.15, 0.075, undefined, 0.6],
    ["openai/gpt-4o-2024-05-13", 128_000, 5, undefined, undefined, 15],
    ["openai/gpt-5", 400_000, 1.25, 0.125, undefined, 10],
    ["google/gemini-2.5-pro", 8_192, 1.25, 0.125, undefined, 10],
    ["google/gemini-2.5-flash", 1_048_576, 0.3, 0.03, undefined, 2.5],
    ["deepseek/deepseek-v3.2", 128_000, 0.2288, undefined, undefined, 0.3432],
    ["mistral/mistral-large-2512", 262_144, 0.5, 0.05, undefined, 1.5],
    ["mistral/mistral-nemo", 8_192, 0.15, undefined, undefined, 0.15],
    ["openrouter/anthropic/claude-sonnet-4.5", 1_000_000, 3, 0.3, 3.75, 15],
  ])("%s", (name, contextTokens, ...expected) => {
    const { routeType, contextTokens: window, pricing } = modelOf(name);
    expect([routeType, window, ...usdOf(pricing)]).toEqual(["chat", contextTokens, ...expected]);
  });

  test.each([
    ["openai/text-embedding-3-small", 8_192, 0.02],
    ["google/gemini-embedding-001", undefined, 0.15],
    ["mistral/mistral-embed", 8_192, 0.1],
  ])("%s", (name, contextTokens, expected) => {
    const { routeType, contextTokens: window, pricing } = modelOf(name);
    expect([routeType, window, usdOf(pricing)[0]]).toEqual(["embeddings", contextTokens, expected]);
  });

  test.each([
    ["anthropic/claude-sonnet-4-5", [[200_000n, 6, 0.6, 7.5, 22.5]]],
    ["google/gemini-2.5-pro", [[200_000n, 2.5, 0.25, undefined, 15]]],
    ["google/gemini-1.5-flash", [[128_000n, 0.15, 0.0375, undefined, 0.6]]],
    ["openai/gpt-4o-mini", undefined],
  ])("%s: the prices of longer prompts", (name, expected) => {
    const { tiers } = modelOf(name).pricing;
    expect(tiers?.map((tier) => [tier.aboveInputTokens, ...usdOf(tier)])).toEqual(expected);
  });

  test("cache writes, reasoning, audio and the calls of tools have their own prices", () => {
    const perMillion = (usd: bigint) => ({ picoUsd: usd * 10n ** 12n, per: 1_000_000n });
    expect(modelOf("anthropic/claude-haiku-4-5").pricing).toMatchObject({
      cache_write_1h: perMillion(2n),
      tools: new Map([["web_search", { picoUsd: 10n ** 10n, per: 1n }]]),
    });
    // The data set has only that of shorter writes: $4.125, for an input of $3.30.
    const onBedrock = modelOf("aws/anthropic.claude-sonnet-4-5-20250929-v1:0").pricing;
    expect(onBedrock.cache_write_1h?.picoUsd).toBe(6_600_000_000_000n);
    expect(modelOf("perplexity/sonar-deep-research").pricing.reasoning).toEqual(perMillion(3n));
    expect(modelOf("google/gemini-2.5-flash").pricing.audio_input).toEqual(perMillion(1n));
    expect(modelOf("openai/gpt-audio").pricing.audio_output).toEqual(perMillion(64n));
  });

  test("at most 100 columns wide, with its source, the data set and its date", () => {
    const [first] = suggestModels(["deepseek/deepseek-v4-pro"], prices);
    expect(first?.lines.every(({ length }) => length <= 100)).toBe(true);
    const text = first?.lines.join(" ").replaceAll(/\s+# /g, " ");
    expect(text).toContain("list prices since 2026-08-17, in USD per million tokens");
    expect(text).toContain("https://api-docs.deepseek.com/quick_start/pricing, as in");
    expect(text).toMatch(/@pydantic\/genai-prices [\d.]+ \(20\d\d-\d\d-\d\d\)/);
  });
});

test("every model of the data set has a suggestion without warnings, or an error that says why", async () => {
  const { findProvider } = await import("@pydantic/genai-prices");
  const refused: string[] = [];
  const valid: string[] = [];
  for (const id of wellKnownProviders) {
    const provider = findProvider({ providerId: id });
    expect(provider?.id).toBe(id);
    for (const model of provider?.models ?? []) {
      const name = `${id}/${model.id}`;
      try {
        suggestModels([name], prices);
        valid.push(name);
      } catch (error) {
        expect(error, name).toBeInstanceOf(UsageError);
        expect((error as Error).message).toMatch(
          /; (similar names: .+|suggest writes only these)$/,
        );
        refused.push(name);
      }
    }
  }
  expect(valid.length).toBeGreaterThan(1_000);
  expect(priceWarnings(parseCatalog(catalogOf(valid), vendors), prices)).toEqual([]);
  expect(refused.length).toBeLessThan(valid.length / 4);
});

test("the prices are those of the day, and the highest of the day", async () => {
  const at = async (day: string, name: string) =>
    usdOf(modelOf(name, await loadListPrices(new Date(day))).pricing);
  expect(await at("2026-06-15", "mistral/mistral-medium-latest")).toEqual([
    0.4,
    0.04,
    undefined,
    2,
  ]);
  expect(await at("2026-06-16", "mistral/mistral-medium-latest")).toEqual([
    1.5,
    0.15,
    undefined,
    7.5,
  ]);
  const night = "2026-10-01T23:00:00Z";
  expect(await at(night, "deepseek/deepseek-v4-pro")).toEqual([1.32, 0.044, undefined, 3.96]);
});

test("the same model of several providers gets as many aliases", () => {
  const names = ["openrouter/openai/gpt-5", "azure/gpt-5", "azure/gpt-5", "openai/gpt-5"];
  const { models } = parseCatalog(catalogOf(names), vendors);
  expect([...models.keys()]).toEqual(["openai/gpt-5", "gpt-5", "openai/gpt-5-2"]);
});

test.each([
  ["openai/gpt-4p", /has no prices of openai\/gpt-4p; similar names: .*openai\/gpt-4o/],
  ["anthropic/claude-sonnet-45", /similar names: .*anthropic\/claude-sonnet-4-5/],
  ["opnai/gpt-4o", /has no prices of opnai\/gpt-4o; similar names: openai\/gpt-4o$/],
  ["vllm/llama", /has no prices of vllm\/llama; some of its providers: anthropic, aws/],
  ["openai/zzzz", /has no prices of openai\/zzzz; some of its providers: anthropic, aws/],
  ["mistral/codestral", /similar names: mistral\/codestral-latest/],
  ["fireworks/glm-5p1", /similar names: fireworks\/accounts\/fireworks\/models\/glm-5p1, /],
  ["gpt-4o", /gpt-4o must be a provider and a model, such as openai\/gpt-4o/],
  ["openai/", /must be a provider and a model/],
  ["openai/gpt-4o-mini-tts", /suggest writes only these/],
  ["mistral/mistral-ocr-latest", /suggest writes only these/],
])("%s is refused with what to ask for", (name, message) => {
  expect(() => suggestModels(["openai/gpt-5", name], prices)).toThrow(UsageError);
  expect(() => suggestModels(["openai/gpt-5", name], prices)).toThrow(message);
});
