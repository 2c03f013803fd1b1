import type { Pricing } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import { describe, expect, test } from "vitest";
import { UsageError } from "../usage.ts";
import { loadListPrices, wellKnownProviders } from "./list-prices.ts";
import { suggestModels } from "./suggestion.ts";

const prices = await loadListPrices(new Date("2026-10-01"));

/** Returns a catalog with suggestions as its models, as an operator pastes them. */
function catalogOf(names: readonly string[], from = prices) {
  const models = suggestModels(names, from).flatMap(({ lines }) => lines);
  const providers = new Set(names.map((name) => name.split("/", 1)[0]));
  return [
    "providers:",
    ...Array.from(providers, (name) => `  ${name}: { base_url: "https://${name}.example/v1" }`),
    "models:",
    ...models,
    "",
  ].join("\n");
}

/** The prices in pico-USD per million tokens, and the context window. */
function parsed(name: string, from = prices) {
  const [model] = parseCatalog(catalogOf([name], from)).models.values();
  const { input, cached_input, output } = model?.pricing ?? ({} as Partial<Pricing>);
  const usd = (price: typeof input) =>
    price === undefined ? undefined : Number((price.picoUsd * 1_000_000n) / price.per) / 1e12;
  return [model?.routeType, usd(input), usd(cached_input), usd(output), model?.contextTokens];
}

describe("a suggested model is valid in a catalog, with the list price of its provider", () => {
  test.each([
    ["anthropic/claude-haiku-4-5", "chat", 1, 0.1, 5, 200_000],
    ["anthropic/claude-sonnet-4-5", "chat", 3, 0.3, 15, 200_000],
    ["anthropic/claude-opus-4-5-20251101", "chat", 5, 0.5, 25, 200_000],
    ["openai/gpt-4o-mini", "chat", 0.15, 0.075, 0.6, 128_000],
    ["openai/gpt-4o-2024-05-13", "chat", 5, undefined, 15, 128_000],
    ["openai/gpt-5", "chat", 1.25, 0.125, 10, 400_000],
    ["openai/text-embedding-3-small", "embeddings", 0.02, undefined, undefined, 8_192],
    ["google/gemini-2.5-pro", "chat", 1.25, 0.125, 10, 8_192],
    ["google/gemini-embedding-001", "embeddings", 0.15, undefined, undefined, undefined],
    ["deepseek/deepseek-v3.2", "chat", 0.2288, undefined, 0.3432, 128_000],
    ["mistral/mistral-large-2512", "chat", 0.5, 0.05, 1.5, 262_144],
    ["mistral/mistral-nemo", "chat", 0.15, undefined, 0.15, 8_192],
    ["openrouter/anthropic/claude-sonnet-4.5", "chat", 3, 0.3, 15, 1_000_000],
  ])("%s", (name, ...expected) => expect(parsed(name)).toEqual(expected));

  test("at most 100 columns wide, with its source, the data set and its date", () => {
    const [first] = suggestModels(["deepseek/deepseek-v4-pro"], prices);
    expect(first?.lines.every(({ length }) => length <= 100)).toBe(true);
    const text = first?.lines.join(" ").replaceAll(/\s+# /g, " ");
    expect(text).toContain("list prices since 2026-08-17, in USD per million tokens");
    expect(text).toContain("https://api-docs.deepseek.com/quick_start/pricing, as in");
    expect(text).toMatch(/@pydantic\/genai-prices [\d.]+ \(20\d\d-\d\d-\d\d\)/);
  });
});

test("every model of the data set has a valid suggestion, or an error that says why", async () => {
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
  expect(parseCatalog(catalogOf(valid)).models.size).toBe(valid.length);
  expect(refused.length).toBeLessThan(valid.length / 4);
});

test("the prices are those of the day, and the highest of the day", async () => {
  const at = async (day: string, name: string) =>
    parsed(name, await loadListPrices(new Date(day))).slice(1, 4);
  expect(await at("2026-06-15", "mistral/mistral-medium-latest")).toEqual([0.4, 0.04, 2]);
  expect(await at("2026-06-16", "mistral/mistral-medium-latest")).toEqual([1.5, 0.15, 7.5]);
  expect(await at("2026-10-01T23:00:00Z", "deepseek/deepseek-v4-pro")).toEqual([1.32, 0.044, 3.96]);
});

test("the same model of several providers gets as many aliases", () => {
  const names = ["openrouter/openai/gpt-5", "azure/gpt-5", "azure/gpt-5", "openai/gpt-5"];
  const { models } = parseCatalog(catalogOf(names));
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
