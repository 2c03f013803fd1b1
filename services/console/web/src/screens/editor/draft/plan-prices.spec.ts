import { expect, test } from "vitest";
import { parse } from "yaml";
import type { DraftEntry } from "./document.ts";
import { planModelsOf, planPricesOf, pricedModelsOf, withPlanPrices } from "./plan-prices.ts";

const text = `providers: {}
models: []
plans:
  gold:
    factor: "0.9" # since May
    models:
      large: { input: "0.10", output: "0.50" } # agreed
      "gpt-4.1": { input: "1", cached_input: "0.5", output: "4" }
`;
const gold = (parse(text) as { plans: { gold: DraftEntry } }).plans.gold;
const [large, gpt] = planPricesOf(gold);
if (large === undefined || gpt === undefined) throw new Error("the plan has two models");

test("the prices of a plan are written as they were read", () => {
  expect({ models: planModelsOf([large, gpt]) }).toEqual({ models: gold.models });
  expect(planModelsOf([])).toBeUndefined();
  expect(withPlanPrices(text, "gold", [large, gpt], [large, gpt])).toBe(text);
});

test("a price that changes leaves the others as they are written, and one that is empty is removed", () => {
  const dearer = { alias: "gpt-4.1", pricing: { input: "1.5", output: "4" } };
  expect(withPlanPrices(text, "gold", [large, gpt], [large, dearer])).toBe(
    text.replace('input: "1", cached_input: "0.5", output', 'input: "1.5", output'),
  );
});

test("a model is added to a plan, and removed from it", () => {
  const sort = { alias: "sort", pricing: { per: 1_000, price: "1" } };
  const added = withPlanPrices(text, "gold", [large, gpt], [large, gpt, sort]);
  expect(parse(added).plans.gold.models).toMatchObject({ sort: { per: 1_000, price: "1" } });
  const removed = withPlanPrices(text, "gold", [large, gpt], [gpt]);
  expect(Object.keys(parse(removed).plans.gold.models)).toEqual(["gpt-4.1"]);
  const none = withPlanPrices(text, "gold", [large, gpt], []);
  expect(parse(none).plans).toEqual({ gold: { factor: "0.9" } });
  const first = withPlanPrices("providers: {}\nmodels: []\n", "new", [], [sort]);
  expect(parse(first).plans).toEqual({ new: { models: { sort: sort.pricing } } });
});

test("models without prices in the plan are offered with those that they have, but images by size", () => {
  const pricing = { input: "1", output: "2" };
  const models = [
    { alias: "large", pricing },
    { alias: "small", pricing },
    { alias: "draw", pricing: { per: 1, price: "1" }, sizes: { "512x512": "0.02" } },
    { alias: "paint", pricing: { per: 1, price: "1" }, sizes: ["512x512"] },
    { pricing },
  ];
  expect(pricedModelsOf(models, [large]).map(({ alias }) => alias)).toEqual(["small", "paint"]);
});
