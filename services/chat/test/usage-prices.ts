import type { Slot } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { costOf, formatUsd } from "@tollgate/core/money";
import { vendors } from "@tollgate/providers";
import { readUsageOfKind } from "@tollgate/providers/chat";
import { describe, expect, test } from "vitest";
import { measure } from "../src/usage/usage.ts";

/** Prices of models, in USD per million tokens. */
export const openAi = {
  input: "2.50",
  cached_input: "1.25",
  audio_input: "40",
  output: "10",
  audio_output: "80",
};
export const claudePrices = {
  input: "3",
  cached_input: "0.30",
  cache_write: "3.75",
  cache_write_1h: "6",
  output: "15",
  "tool:web_search": "0.01",
  tiers: [
    {
      above_input_tokens: 200_000,
      input: "6",
      cached_input: "0.60",
      cache_write: "7.50",
      cache_write_1h: "12",
      output: "22.50",
    },
  ],
};
export const geminiPrices = {
  input: "1.25",
  cached_input: "0.125",
  audio_input: "3",
  output: "10",
  tiers: [{ above_input_tokens: 200_000, input: "2.50", cached_input: "0.25", output: "15" }],
};
export const mistralPrices = { input: "0.50", cached_input: "0.05", output: "1.50" };
export const vllm = { input: "0.10", cached_input: "0.01", output: "0.40", reasoning: "0.20" };

/** A usage block, and what it costs in USD. */
export type CostCase = readonly [what: string, block: unknown, cost: string];

/** Tests what the usage blocks of a vendor cost, whose providers are of a kind. */
export function testCosts(
  vendor: string,
  kind: VendorName,
  pricing: Record<string, unknown>,
  cases: readonly CostCase[],
): void {
  describe(`a usage block of ${vendor} costs what is computed by hand, in micro-USD`, () => {
    const slot = slotAt(pricing, kind);
    test.each(cases)("%s", (_what, block, cost) => {
      expect(formatUsd(costOf(measured(block, slot).lines))).toBe(cost);
    });
  });
}

type VendorName = keyof typeof vendors;

/** Returns a slot of a kind, with prices of USD per million tokens, so micro-USD per token. */
export function slotAt(pricing: Record<string, unknown>, kind: VendorName = "openai"): Slot {
  const chat = { route_type: "chat", context_tokens: 1, max_output_tokens: 1 };
  const chain = [{ provider: "p", model: "m" }];
  const { regions } = vendors[kind] as ProviderKind;
  const region = regions === undefined ? {} : { region: regions.example };
  const file = {
    providers: { p: { kind, base_url: "http://p.test", ...region } },
    models: [{ alias: "m", ...chat, pricing, chain }],
  };
  return parseCatalog(JSON.stringify(file), vendors).models.get("m")?.chain[0] as Slot;
}

/** Reads a usage block that must be readable, and prices it. */
export function measured(block: unknown, slot: Slot) {
  const usage = readUsageOfKind(slot, block);
  if (usage === undefined) throw new Error("the block must be read");
  return { usage, lines: measure(usage, slot).lines };
}
