import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type Catalog,
  type Model,
  outputDimensions,
  type Prices,
  promptDimensions,
  type Slot,
} from "@tollgate/catalog/model";
import type { RouteType } from "@tollgate/catalog/route-types";
import type { Price } from "@tollgate/core/money";
import { type ListPrices, type ListRates, listPriceOf } from "@tollgate/list-prices/list-prices";
import type { CatalogModelSchema, CatalogPriceSchema } from "@tollgate/proto/tollgate/v1/model";
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

function describeSlot({ provider, upstreamModel, pricing }: Slot, rates: RatesAbove) {
  const tiers = pricing.tiers ?? [];
  const tools = [...(pricing.tools ?? [])];
  return {
    provider: provider.name,
    upstreamModel,
    kind: provider.kind.name,
    prices: [
      ...describePrices(pricing, rates, 0n),
      ...tiers.flatMap((tier) => describePrices(tier, rates, tier.aboveInputTokens)),
      ...tools.map(([name, price]) => describePrice(`tool:${name}`, price, rates, 0n)),
    ],
  };
}

function describePrices(prices: Prices, rates: RatesAbove, aboveInputTokens: bigint) {
  return [...promptDimensions, ...outputDimensions].flatMap((dimension) => {
    const price = prices[dimension];
    return price === undefined ? [] : [describePrice(dimension, price, rates, aboveInputTokens)];
  });
}

function describePrice(
  dimension: string,
  { picoUsd, per }: Price,
  rates: RatesAbove,
  aboveInputTokens: bigint,
): MessageInitShape<typeof CatalogPriceSchema> {
  const list = rates(aboveInputTokens)?.get(dimension);
  return {
    ...{ dimension, pricePicoUsd: picoUsd, per, aboveInputTokens },
    ...(list && { listPricePicoUsd: (list.picoUsd * per) / list.per }),
  };
}
