import { parseCatalog } from "@tollgate/catalog/parse";
import { loadListPrices } from "@tollgate/list-prices/list-prices";
import { vendors } from "@tollgate/providers";
import { expect, test } from "vitest";
import { describeModels } from "./described-models.ts";

/** The list prices of gpt-4o on this day: 2.50, 1.25 and 10.00 USD a million tokens. */
const at = new Date("2026-09-23T12:00:00Z");

const catalog = parseCatalog(
  `
providers:
  openai: { base_url: "https://api.openai.com/v1", api_key_env: OPENAI_API_KEY }
  own: { base_url: "http://127.0.0.1:9/v1" }
models:
  - alias: b
    route_type: chat
    context_tokens: 128000
    max_output_tokens: 16384
    pricing: { input: "3.00", output: "9.00" }
    chain:
      - { provider: openai, model: gpt-4o }
      - { provider: own, model: llama }
  - alias: a
    route_type: chat
    visibility: internal
    context_tokens: 1000
    max_output_tokens: 100
    pricing: { input: "1", output: "1" }
    chain: [{ provider: own, model: llama }]
`,
  vendors,
);

test("the list price of a slot stands beside its price, for the same number of units", async () => {
  const [model, ...others] = describeModels(catalog, [], await loadListPrices(at));
  expect(others).toEqual([]);
  expect(model).toMatchObject({
    alias: "b",
    slots: [
      {
        state: { slotId: "openai/gpt-4o", openBreakers: 0 },
        prices: [
          {
            dimension: "input",
            pricePicoUsd: 3_000_000_000_000n,
            per: 1_000_000n,
            listPricePicoUsd: 2_500_000_000_000n,
          },
          {
            dimension: "output",
            pricePicoUsd: 9_000_000_000_000n,
            per: 1_000_000n,
            listPricePicoUsd: 10_000_000_000_000n,
          },
        ],
      },
      { prices: [{ dimension: "input" }, { dimension: "output" }] },
    ],
  });
  expect(model?.slots?.[1]?.prices?.[0]).not.toHaveProperty("listPricePicoUsd");
});
