import type { Model, Prices, Pricing, Slot, TokenDimension } from "@tollgate/catalog/model";
import { outputDimensions, promptDimensions } from "@tollgate/catalog/model";
import { createPlan } from "@tollgate/catalog/plan";
import { highestPrices, priceOf, pricesAt } from "@tollgate/catalog/pricing";
import { costOf, nanoCostOf, type Price } from "@tollgate/core/money";
import { completedFields } from "@tollgate/metering/usage-event-fields";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import fc from "fast-check";
import { expect, test } from "vitest";
import { measure } from "../usage/usage.ts";
import { type Bound, estimateOf } from "./estimate.ts";

const dimensions: readonly TokenDimension[] = [...promptDimensions, ...outputDimensions];
const million = 1_000_000n;

const price: fc.Arbitrary<Price> = fc.record({
  picoUsd: fc.bigInt({ min: 0n, max: 10n ** 13n }),
  per: fc.constantFrom(1n, 1_000n, 1_000_000n),
});
const prices = fc.record(Object.fromEntries(dimensions.map((name) => [name, price])), {
  requiredKeys: ["input", "output"],
}) as unknown as fc.Arbitrary<Prices>;
const pricing: fc.Arbitrary<Pricing> = fc
  .tuple(prices, prices, fc.bigInt({ min: 1n, max: 1_000n }), fc.option(price))
  .map(([base, long, aboveInputTokens, tool]) => ({
    ...base,
    unitType: "tokens",
    tiers: [{ ...long, aboveInputTokens }],
    ...(tool && { tools: new Map([["web_search", tool]]) }),
  }));

/** What an account pays, of which the test knows the prices without the plan's own code. */
const mix = fc.record({
  list: pricing,
  slots: fc.array(fc.record({ own: fc.option(pricing), paid: fc.option(pricing) }), {
    minLength: 1,
    maxLength: 3,
  }),
  plan: fc.option(
    fc.record({
      factorMillionths: fc.bigInt({ min: 0n, max: 2_000_000n }),
      own: fc.option(pricing),
    }),
  ),
  bound: fc.record({
    promptTokens: fc.bigInt({ min: 0n, max: 2_000n }),
    maxTokens: fc.bigInt({ min: 1n, max: 1_000n }),
    choices: fc.bigInt({ min: 1n, max: 4n }),
    calls: fc.bigInt({ min: 0n, max: 3n }),
  }),
  dimension: fc.constantFrom(...dimensions),
});

type Mix = typeof mix extends fc.Arbitrary<infer One> ? One : never;

function modelOf({ list, slots, plan }: Mix): Model {
  const chain = slots.map(({ own, paid }, index) => ({
    ...{ id: `p/${index}`, provider: { name: "p" }, upstreamModel: String(index) },
    ...{ pricing: own ?? list, ...(paid && { providerPricing: paid }) },
  })) as unknown as Slot[];
  const model = { alias: "m", unitType: "tokens", pricing: list, chain } as unknown as Model;
  if (plan === null) return model;
  const pricingOf = new Map(plan.own === null ? [] : [["m", plan.own]]);
  return createPlan("gold", { factorMillionths: plan.factorMillionths, pricingOf }).modelOf(model);
}

/** Returns what a unit costs by the catalog's text: the list price, and the plan's factor. */
function expected({ list, slots, plan }: Mix, index: number, read: (own: Pricing) => Price): Price {
  if (plan?.own) return read(plan.own);
  const { picoUsd, per } = read(slots[index]?.own ?? list);
  if (plan === null) return { picoUsd, per };
  return { picoUsd: (picoUsd * plan.factorMillionths + million - 1n) / million, per };
}

function usageOf({ bound, dimension }: Mix): ChatUsage {
  const isOutput = outputDimensions.some((one) => one === dimension);
  const completionTokens = bound.maxTokens * bound.choices;
  return {
    ...{ promptTokens: bound.promptTokens, completionTokens, cachedTokens: 0n },
    tokens: [
      { dimension: isOutput ? "input" : dimension, quantity: bound.promptTokens },
      { dimension: isOutput ? dimension : "output", quantity: completionTokens },
    ],
    reasoningTokens: 0n,
    toolCalls: [{ tool: "web_search", quantity: bound.calls }],
    ...{ basis: "provider", details: {} },
  };
}

const free: Price = { picoUsd: 0n, per: 1n };

test("a hold and a charge have the same price for every mix of plan, tier, dimension and slot", () => {
  fc.assert(
    fc.property(mix, (one) => {
      const model = modelOf(one);
      const { promptTokens, calls, ...rest } = one.bound;
      const toolCalls = [{ tool: "web_search", quantity: calls }];
      const bound: Bound = { promptTokens, ...rest, toolCalls };
      const usage = usageOf(one);
      const charges = model.chain.map((slot, index) => {
        const { lines } = measure(usage, slot);
        const read = (dimension: string) => (own: Pricing) =>
          dimension.startsWith("tool:")
            ? (own.tools?.get("web_search") ?? free)
            : priceOf(pricesAt(own, promptTokens), dimension as TokenDimension);
        for (const { dimension, price: charged } of lines) {
          expect(charged).toEqual(expected(one, index, read(dimension)));
        }
        return costOf(lines);
      });
      const most = charges.reduce((high, cost) => (cost > high ? cost : high), 0n);
      if (one.dimension === "input" || one.dimension === "output") {
        expect(estimateOf(bound, model, pricesAt)).toBe(most);
      }
      expect(estimateOf(bound, model, highestPrices)).toBeGreaterThanOrEqual(most);
    }),
    { numRuns: 500 },
  );
});

test("what a provider charges is by its own prices, whatever the plan", () => {
  fc.assert(
    fc.property(mix, (one) => {
      const usage = usageOf(one);
      for (const [index, slot] of modelOf(one).chain.entries()) {
        const recorded = completedFields(slot, measure(usage, slot)).providerCostNanoUsd;
        const paid = one.slots[index]?.paid;
        const cost = paid && nanoCostOf(measure(usage, { pricing: paid }).lines);
        expect(recorded).toBe(cost ?? undefined);
      }
    }),
  );
});
