import { StartError } from "@tollgate/core/errors";
import type { Price } from "@tollgate/core/money";
import { withKeySlots } from "./key-pool.ts";
import type { Model } from "./model.ts";
import type { ModelEntry } from "./schema.ts";

/** The longest side of an image that may be requested where the catalog has no sizes. */
const maxSide = 2_048;

/**
 * Returns the sizes of images that may be requested of a model, each with the model as it is priced for
 * that size. Undefined for an entry without sizes. Throws a StartError where sizes have prices and a
 * slot has a price of its own, since both would replace the model's.
 */
export function imageSizesOf(
  entry: ModelEntry,
  model: Model,
  path: string,
): ReadonlyMap<string, Model> | undefined {
  if (entry.route_type !== "images" || entry.sizes === undefined) return undefined;
  if (Array.isArray(entry.sizes)) return new Map(entry.sizes.map((size) => [size, model]));
  const index = entry.chain.findIndex(({ pricing }) => pricing !== undefined);
  if (index >= 0) {
    const problem = "must not be set, since the sizes have prices";
    throw new StartError(`${path}.chain[${index}].pricing: ${problem}`);
  }
  const per = BigInt(entry.pricing.per);
  const sizes = Object.entries(entry.sizes);
  return new Map(sizes.map(([size, picoUsd]) => [size, pricedAt(model, { picoUsd, per })]));
}

/**
 * Returns the model as it is priced for images of a size; undefined for a size that may not be
 * requested. Without a size, the provider chooses one, at the model's own price.
 */
export function modelForSize(model: Model, size: string | undefined): Model | undefined {
  if (size === undefined) return model;
  if (model.imageSizes !== undefined) return model.imageSizes.get(size);
  const sides = size.split("x").map(Number);
  return sides.every((side) => side <= maxSide) ? model : undefined;
}

/** Returns the sizes that may be requested, for an error. */
export function describeSizes({ imageSizes }: Model): string {
  if (imageSizes !== undefined) return `one of ${[...imageSizes.keys()].join(", ")}`;
  return `at most ${maxSide}x${maxSide}`;
}

function pricedAt(model: Model, price: Price): Model {
  const pricing = { ...model.pricing, input: price };
  const [first, ...others] = model.chain.map((slot) => withKeySlots({ ...slot, pricing }));
  return first === undefined ? model : { ...model, pricing, chain: [first, ...others] };
}
