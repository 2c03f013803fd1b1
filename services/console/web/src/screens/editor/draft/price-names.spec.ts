import { expect, test } from "vitest";
import { hasFurtherPrices, priceLabel, priceNamesOf } from "./price-names.ts";

test("a form has the prices of the route, and all others that are set", () => {
  const pricing = { per: 1_000, input: "1", cache_write_1h: "2", "tool:web_search": "0.01" };
  expect(priceNamesOf("chat", pricing)).toEqual([
    ...["input", "cached_input", "cache_write", "output", "reasoning"],
    ...["cache_write_1h", "tool:web_search"],
  ]);
  expect(priceNamesOf("rerank", undefined)).toEqual(["price"]);
  expect(priceNamesOf("gone", { per: 1, price: "1" })).toEqual(["price"]);
});

test("a transcription has the prices of seconds, or those of tokens that it has already", () => {
  expect(priceNamesOf("transcriptions", { per: 1, price: "1" })).toEqual(["price"]);
  expect(priceNamesOf("transcriptions", { input: "1", output: "1" })).toEqual([
    ...["input", "audio_input", "output"],
  ]);
});

test("prices of long prompts have no field", () => {
  const pricing = { input: "1", output: "1", tiers: [{ above_input_tokens: 1 }] };
  expect(priceNamesOf("chat", pricing)).not.toContain("tiers");
  expect([hasFurtherPrices(pricing), hasFurtherPrices({ input: "1" })]).toEqual([true, false]);
});

test("a price is named for people", () => {
  expect([priceLabel("cached_input"), priceLabel("tool:web_search")]).toEqual([
    "cached input",
    "web search, a call",
  ]);
});
