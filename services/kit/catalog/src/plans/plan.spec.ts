import type { StartError } from "@tollgate/core/errors";
import { expect, test } from "vitest";
import { testKinds } from "../../test/kinds.ts";
import { problemsOfCatalog } from "../catalog-problems.ts";
import { modelAtPlan } from "../model.ts";
import { toCheckedCatalog } from "../parse.ts";
import { catalogWarnings } from "../warnings.ts";

const usd = 10n ** 12n;
const providers = { near: { base_url: "https://near.test" }, far: { kind: "closed" } };
const near = { provider: "near", model: "m" };
const chat = {
  ...{ alias: "large", route_type: "chat", context_tokens: 5, max_output_tokens: 5 },
  pricing: { input: "2", output: "8", "tool:web_search": "0.01" },
  chain: [near],
};
const rerank = {
  ...{ alias: "sort", route_type: "rerank" },
  ...{ pricing: { per: 1_000, price: "2.00" }, chain: [near] },
};
const images = { alias: "draw", route_type: "images", pricing: { per: 1, price: "0.04" } };

function parse(plans: object, ...models: object[]) {
  return toCheckedCatalog({ providers, plans, models }, testKinds);
}

function atPlan(plans: object, model: { alias: string; [field: string]: unknown }, plan = "gold") {
  const catalog = parse(plans, model);
  const list = catalog.models.get(model.alias);
  if (list === undefined) throw new Error("there is no such model");
  return modelAtPlan(catalog, list, plan);
}

test("a factor multiplies every price of the model and of its slots", () => {
  const tiers = [{ above_input_tokens: 10, input: "4", cached_input: "1", output: "16" }];
  const own = { ...near, pricing: { input: "1", output: "3" } };
  const model = { ...chat, pricing: { ...chat.pricing, tiers }, chain: [near, own] };
  const priced = atPlan({ gold: { factor: "0.9" } }, model);
  const per = 1_000_000n;
  const pricing = {
    unitType: "tokens",
    input: { picoUsd: (18n * usd) / 10n, per },
    output: { picoUsd: (72n * usd) / 10n, per },
    tools: new Map([["web_search", { picoUsd: 9n * 10n ** 9n, per: 1n }]]),
    tiers: [
      {
        aboveInputTokens: 10n,
        input: { picoUsd: (36n * usd) / 10n, per },
        cached_input: { picoUsd: (9n * usd) / 10n, per },
        output: { picoUsd: (144n * usd) / 10n, per },
      },
    ],
  };
  expect(priced).toMatchObject({ plan: "gold", pricing });
  expect(priced.chain[0]?.pricing).toEqual(pricing);
  expect(priced.chain[1]?.pricing).toMatchObject({ input: { picoUsd: (9n * usd) / 10n } });
});

test("prices of a model replace its own and those of its slots, and the factor is for the others", () => {
  const own = { ...near, pricing: { input: "1", output: "3" } };
  const models = { large: { input: "0.10", output: "0.50" } };
  const catalog = parse(
    { gold: { factor: "0.5", models } },
    { ...chat, chain: [near, own] },
    rerank,
  );
  const [large, sort] = ["large", "sort"].map((alias) => {
    const list = catalog.models.get(alias);
    return list && modelAtPlan(catalog, list, "gold");
  });
  const prices = { input: { picoUsd: usd / 10n }, output: { picoUsd: usd / 2n } };
  expect(large?.chain.map(({ pricing }) => pricing)).toMatchObject([prices, prices]);
  expect(sort?.pricing.input).toEqual({ picoUsd: usd, per: 1_000n });
});

test("a price is rounded up to a whole pico-USD", () => {
  const tiny = { ...rerank, pricing: { per: 1, price: "0.000000000003" } };
  expect(atPlan({ gold: { factor: "0.5" } }, tiny).pricing.input.picoUsd).toBe(2n);
  expect(atPlan({ gold: { factor: "0" } }, tiny).pricing.input.picoUsd).toBe(0n);
});

test("the slots of a pool of keys have the prices of the plan", () => {
  const keys = ["A", "B"].map((env) => ({ env }));
  const pooled = { near: { base_url: "https://near.test", keys } };
  const plans = { gold: { factor: "0.5" } };
  const catalog = toCheckedCatalog({ providers: pooled, plans, models: [chat] }, testKinds);
  const list = catalog.models.get("large");
  const [slot] = (list && modelAtPlan(catalog, list, "gold").chain) ?? [];
  expect(slot?.keySlots?.map((one) => [one.pricing.input.picoUsd, one.chainSlot === slot])).toEqual(
    [
      [usd, true],
      [usd, true],
    ],
  );
});

test("sizes of images have the prices of the plan", () => {
  const sizes = { "512x512": "0.02", "1024x1024": "0.05" };
  const priced = atPlan({ gold: { factor: "2" } }, { ...images, sizes, chain: [near] });
  const small = priced.imageSizes?.get("512x512");
  expect(small?.chain[0]?.pricing.input).toEqual({ picoUsd: (4n * usd) / 100n, per: 1n });
  const models = { draw: { per: 1, price: "0.01" } };
  const listed = atPlan({ gold: { models } }, { ...images, sizes: ["512x512"], chain: [near] });
  expect(listed.imageSizes?.get("512x512")?.pricing.input.picoUsd).toBe(usd / 100n);
});

test("a plan that the catalog does not have is the list prices", () => {
  const priced = atPlan({ gold: { factor: "0.9" } }, chat, "silver");
  expect(priced.plan).toBeUndefined();
  expect(priced.pricing.input.picoUsd).toBe(2n * usd);
});

test("a request finds the same object each time, so that nothing is made for each", () => {
  const catalog = parse({ gold: { factor: "0.9" } }, chat);
  const list = catalog.models.get("large");
  if (list === undefined) throw new Error("there is no such model");
  expect(modelAtPlan(catalog, list, "gold")).toBe(modelAtPlan(catalog, list, "gold"));
});

test.each([
  [
    "plans.None: must be named by 1 to 64 lower-case letters, digits, _ and -, and not none",
    { None: {} },
  ],
  [
    "plans.none: must be named by 1 to 64 lower-case letters, digits, _ and -, and not none",
    { none: {} },
  ],
  ['plans.gold.factor: must be a number in quotes, for instance "0.9"', { gold: { factor: 0.9 } }],
  [
    "plans.gold.factor: must be a decimal from 0 to 1000, with at most 6 decimals",
    { gold: { factor: "-1" } },
  ],
  [
    "plans.gold.models.small: must be the alias of a model, and there is none",
    { gold: { models: { small: { input: "1", output: "1" } } } },
  ],
  ["plans.gold.models.large.output: is required", { gold: { models: { large: { input: "1" } } } }],
  [
    "plans.gold.models.large.price: is not a field of the catalog",
    { gold: { models: { large: { input: "1", output: "1", price: "1" } } } },
  ],
  ["plans.gold.discount: is not a field of the catalog", { gold: { discount: "0.1" } }],
])("%s", (message, plans) => {
  expect(() => parse(plans, chat)).toThrow(message);
});

test("each model of a plan has its errors, and a name with a dot is in brackets", () => {
  const models = { "gpt-4.1": { input: 1, output: "1" }, gone: {}, large: { input: "1" } };
  let problems: readonly string[] = [];
  try {
    parse({ gold: { models } }, chat, { ...chat, alias: "gpt-4.1" });
  } catch (error) {
    problems = problemsOfCatalog(error as StartError);
  }
  expect(problems).toEqual([
    'plans.gold.models["gpt-4.1"].input: must be a price in quotes, for instance "0.15"',
    "plans.gold.models.gone: must be the alias of a model, and there is none",
    "plans.gold.models.large.output: is required",
  ]);
});

test("prices of a plan must satisfy what those of a slot must", () => {
  const far = { ...chat, pricing: { ...chat.pricing, cache_write_1h: "4" } };
  const models = { large: { input: "1", output: "1" } };
  expect(() =>
    parse({ gold: { models } }, { ...far, chain: [{ provider: "far", model: "m" }] }),
  ).toThrow("plans.gold.models.large.chain[0]: must have a price of cache_write_1h");
  const sizes = { "512x512": "0.02" };
  const draw = { draw: { per: 1, price: "0.01" } };
  expect(() => parse({ gold: { models: draw } }, { ...images, sizes, chain: [near] })).toThrow(
    "plans.gold.models.draw: must not be set, since the sizes have prices: use factor",
  );
  const seconds = { per: 1, price: "0.0001" };
  const ears = { alias: "ears", route_type: "transcriptions", language: "auto", chain: [near] };
  const tokens = { ears: { input: "1", output: "1" } };
  expect(() => parse({ gold: { models: tokens } }, { ...ears, pricing: seconds })).toThrow(
    "plans.gold.models.ears: must be by seconds, as the prices of the model are",
  );
  const costs = [{ ...near, cost: { input: "1", output: "1" } }];
  expect(() => parse({}, { ...ears, pricing: seconds, chain: costs })).toThrow(
    "models[0] (ears).chain[0].cost: must be by seconds, as that of the model is",
  );
});

test("a price below what the provider charges has a warning, of the list and of each plan", () => {
  const cost = { input: "2.00", cached_input: "0.2", output: "6", "tool:web_search": "0.02" };
  const tiers = [{ above_input_tokens: 10, input: "2", cached_input: "2", output: "9" }];
  const model = { ...chat, chain: [near, { ...near, model: "n", cost: { ...cost, tiers } }] };
  const plans = {
    gold: { factor: "0.7" },
    own: { models: { large: { input: "3", output: "9" } } },
  };
  const path = "models[0] (large).chain[1]";
  expect(catalogWarnings(parse(plans, model))).toEqual([
    `${path}: output "8" is below its cost of "9", of prompts of more than 10 tokens`,
    `${path}: tool:web_search "0.01" is below its cost of "0.02"`,
    `${path}: input "1.4" is below its cost of "2" in the plan gold`,
    `${path}: output "5.6" is below its cost of "6" in the plan gold`,
    `${path}: cached_input "1.4" is below its cost of "2", of prompts of more than 10 tokens in the plan gold`,
    `${path}: tool:web_search "0.007" is below its cost of "0.02" in the plan gold`,
    `${path}: tool:web_search "0" is below its cost of "0.02" in the plan own`,
  ]);
});

test("prices of different units are compared", () => {
  const chain = [{ ...near, cost: { per: 1, price: "0.0021" } }];
  expect(catalogWarnings(parse({}, { ...rerank, chain }))).toEqual([
    'models[0] (sort).chain[0]: input "2" per 1000 is below its cost of "0.0021" per 1',
  ]);
  const sizes = { "512x512": "0.01", "1024x1024": "0.05" };
  const costs = [{ ...near, cost: { per: 1, price: "0.03" } }];
  expect(catalogWarnings(parse({}, { ...images, sizes, chain: costs }))).toEqual([
    'models[0] (draw).chain[0]: input "0.01" is below its cost of "0.03" for 512x512',
  ]);
});
