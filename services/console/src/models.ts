import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Catalog,
  type Model,
  outputDimensions,
  type Prices,
  promptDimensions,
  type Slot,
} from "@tollgate/catalog/model";
import type { Price } from "@tollgate/core/money";
import type {
  CatalogModelSchema,
  CatalogPriceSchema,
  CatalogSlotSchema,
} from "@tollgate/proto/tollgate/v1/console";

/** Returns the models of a catalog as messages, by alias. Those that no client can call are left out. */
export function describeModels({ models }: Catalog): MessageInitShape<typeof CatalogModelSchema>[] {
  return [...models.values()]
    .filter(({ visibility }) => visibility !== "internal")
    .sort((one, other) => (one.alias < other.alias ? -1 : 1))
    .map(describeModel);
}

function describeModel(model: Model): MessageInitShape<typeof CatalogModelSchema> {
  const { alias, routeType, visibility, chain } = model;
  return {
    alias,
    routeType,
    isUnlisted: visibility === "unlisted",
    slots: chain.map(describeSlot),
  };
}

function describeSlot(slot: Slot): MessageInitShape<typeof CatalogSlotSchema> {
  const { provider, upstreamModel, pricing } = slot;
  const tiers = pricing.tiers ?? [];
  const tools = [...(pricing.tools ?? [])];
  return {
    provider: provider.name,
    upstreamModel,
    kind: provider.kind ?? "openai",
    prices: [
      ...describePrices(pricing),
      ...tiers.flatMap((tier) => describePrices(tier, tier.aboveInputTokens)),
      ...tools.map(([name, price]) => describePrice(name, price, 0n)),
    ],
  };
}

function describePrices(prices: Prices, aboveInputTokens = 0n) {
  return [...promptDimensions, ...outputDimensions].flatMap((dimension) => {
    const price = prices[dimension];
    return price === undefined ? [] : [describePrice(dimension, price, aboveInputTokens)];
  });
}

function describePrice(
  dimension: string,
  { picoUsd, per }: Price,
  aboveInputTokens: bigint,
): MessageInitShape<typeof CatalogPriceSchema> {
  return { dimension, pricePicoUsd: picoUsd, per, aboveInputTokens };
}
