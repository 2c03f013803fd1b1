import { create } from "@bufbuild/protobuf";
import { ProviderModelSchema } from "@tollgate/proto/tollgate/v1/slot_test";
import { expect, test } from "vitest";
import { modelEntryOf, proposedModel } from "./model-entry.ts";

/** Returns a model with list prices in micro-USD of a million tokens. */
function modelOf(id: string, prices: readonly (readonly [string, number, number?])[] = []) {
  return create(ProviderModelSchema, {
    id,
    ...(prices.length > 0 && { contextTokens: 128_000n }),
    listPrices: prices.map(([dimension, micro, above = 0]) => ({
      ...{ dimension, per: dimension.startsWith("tool:") ? 1_000n : 1_000_000n },
      pricePicoUsd: BigInt(micro) * 1_000_000n,
      aboveInputTokens: BigInt(above),
    })),
  });
}

test("a model with list prices is proposed and added at them", () => {
  const model = modelOf("gpt-4o", [
    ["input", 2_500_000],
    ["cached_input", 1_250_000],
    ["output", 10_000_000],
    ["tool:web_search", 10_000_000],
    ["input_image_mtok", 5_000_000],
  ]);
  const proposed = proposedModel(model);
  expect(proposed).toEqual({ alias: "gpt-4o", input: "2.50", output: "10.00" });
  expect(modelEntryOf("openai", model, proposed)).toEqual({
    alias: "gpt-4o",
    route_type: "chat",
    context_tokens: 128_000,
    max_output_tokens: 4_096,
    pricing: { input: "2.50", cached_input: "1.25", output: "10.00", "tool:web_search": "0.01" },
    chain: [{ provider: "openai", model: "gpt-4o" }],
  });
});

test("prices of long prompts and of hourly cache writes are added, unless the price is another", () => {
  const model = modelOf("claude", [
    ["input", 3_000_000],
    ["cache_write", 3_750_000],
    ["output", 15_000_000],
    ["input", 6_000_000, 200_000],
    ["output", 22_500_000, 200_000],
  ]);
  const listed = modelEntryOf("anthropic", model, proposedModel(model));
  expect(listed.pricing).toEqual({
    ...{ input: "3.00", cache_write: "3.75", cache_write_1h: "6.00", output: "15.00" },
    tiers: [{ above_input_tokens: 200_000, input: "6.00", output: "22.50" }],
  });
  const dearer = modelEntryOf("anthropic", model, { ...proposedModel(model), output: "20" });
  expect(dearer.pricing).not.toHaveProperty("tiers");
});

test("a model of embeddings has one price, and one that bills hidden reasoning says so", () => {
  const model = modelOf("text-embedding-3-small", [["input", 20_000]]);
  const entry = modelEntryOf("openai", model, proposedModel(model));
  expect(entry).toMatchObject({ route_type: "embeddings", pricing: { input: "0.02" } });
  const thinking = { ...modelOf("o5"), hidesReasoning: true };
  const chosen = { alias: "o5", input: "1", output: "2" };
  expect(modelEntryOf("openai", thinking, chosen)).toMatchObject({ reasoning: "hidden" });
});

test("an id that is no alias gets hyphens", () => {
  expect(proposedModel(modelOf("@cf/meta llama")).alias).toBe("cf/meta-llama");
});
