import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type Catalog,
  type Model,
  modelAtPlan,
  outputDimensions,
  type Prices,
  type Pricing,
  promptDimensions,
  type Slot,
} from "@tollgate/catalog/model";
import { priceOf, pricesAt } from "@tollgate/catalog/pricing";
import type { RouteType } from "@tollgate/catalog/route-types";
import type { Price } from "@tollgate/core/money";
import { type ListPrices, type ListRates, listPriceOf } from "@tollgate/list-prices/list-prices";
import type {
  CatalogModelSchema,
  CatalogPriceSchema,
  ListPricesResponseSchema,
} from "@tollgate/proto/tollgate/v1/model";
import { type SlotState, SlotStateSchema } from "@tollgate/proto/tollgate/v1/slot";

/**
 * Returns the models of a catalog as messages, by alias, with the states of their slots and the list
 * prices that are known. Those that no client can call are left out.
 */
export function describeModels(
  { models }: Catalog,
  states: readonly SlotState[],
  prices: ListPrices,
): MessageInitShape<typeof CatalogModelSchema>[] {
  const statesById = new Map(states.map((state) => [state.slotId, state]));
  return [...models.values()]
    .filter(({ visibility }) => visibility !== "internal")
    .sort((one, other) => (one.alias < other.alias ? -1 : 1))
    .map((model) => describeModel(model, statesById, prices));
}

/** Returns the prices of the public models, by alias, for an account with a plan. */
export function pricesAtPlan(
  catalog: Catalog,
  plan: string,
): MessageInitShape<typeof ListPricesResponseSchema> {
  const models = [...catalog.models.values()]
    .filter(({ visibility }) => visibility === "public")
    .map((model) => modelAtPlan(catalog, model, plan))
    .sort((one, other) => (one.alias < other.alias ? -1 : 1));
  return {
    plan: catalog.plans.has(plan) ? plan : "",
    models: models.map(({ alias, routeType, unitType, pricing }) => ({
      ...{ alias, routeType, unitType },
      prices: describePricing(pricing, {}),
    })),
  };
}

function describeModel(
  { alias, routeType, visibility, chain }: Model,
  states: ReadonlyMap<string, SlotState>,
  prices: ListPrices,
): MessageInitShape<typeof CatalogModelSchema> {
  return {
    alias,
    routeType,
    isUnlisted: visibility === "unlisted",
    slots: chain.map((slot) => ({
      ...describeSlot(slot, ratesOf(slot, routeType, prices)),
      state: states.get(slot.id) ?? create(SlotStateSchema, { slotId: slot.id }),
    })),
  };
}

/** Returns the list prices of prompts longer than this. */
type RatesAbove = (inputTokens: bigint) => ListRates | undefined;

/** The data set prices tokens: what the other routes meter, it does not know. */
function ratesOf(slot: Slot, routeType: RouteType, prices: ListPrices): RatesAbove {
  if (routeType !== "chat" && routeType !== "embeddings") return () => undefined;
  const listPrice = listPriceOf(slot, prices);
  return (inputTokens) =>
    listPrice?.tiers.findLast((tier) => BigInt(tier.aboveInputTokens) <= inputTokens)?.rates ??
    listPrice?.rates;
}

function describeSlot(slot: Slot, rates: RatesAbove) {
  const { provider, upstreamModel, pricing, providerPricing } = slot;
  return {
    provider: provider.name,
    upstreamModel,
    kind: provider.kind.name,
    prices: describePricing(pricing, { rates, providerPricing }),
  };
}

/** The prices that a price is compared with, if they are known. */
interface Compared {
  rates?: RatesAbove;
  providerPricing?: Pricing | undefined;
}

function describePricing(
  pricing: Pricing,
  { rates, providerPricing }: Compared,
): MessageInitShape<typeof CatalogPriceSchema>[] {
  const describe = (dimension: string, { picoUsd, per }: Price, above: bigint, cost?: Price) => {
    const list = rates?.(above)?.get(dimension);
    return {
      ...{ dimension, pricePicoUsd: picoUsd, per, aboveInputTokens: above },
      ...(list && { listPricePicoUsd: (list.picoUsd * per) / list.per }),
      ...(cost && { providerPricePicoUsd: (cost.picoUsd * per) / cost.per }),
    };
  };
  const describeTokens = (prices: Prices, above: bigint) =>
    [...promptDimensions, ...outputDimensions].flatMap((dimension) => {
      const price = prices[dimension];
      if (price === undefined) return [];
      const cost = providerPricing && priceOf(pricesAt(providerPricing, above + 1n), dimension);
      return [describe(dimension, price, above, cost)];
    });
  return [
    ...describeTokens(pricing, 0n),
    ...(pricing.tiers ?? []).flatMap((tier) => describeTokens(tier, tier.aboveInputTokens)),
    ...[...(pricing.tools ?? [])].map(([name, price]) =>
      describe(`tool:${name}`, price, 0n, providerPricing?.tools?.get(name)),
    ),
  ];
}
