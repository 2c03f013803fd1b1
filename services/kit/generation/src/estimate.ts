import type { Model, Pricing } from "@tollgate/catalog/model";
import { costOf, type NanoUsd } from "@tollgate/core/money";

/**
 * Returns the cost at the most expensive slot of the chain. The hold is taken before it is known which
 * slot serves.
 */
export function dearestCost(model: Model, costAt: (pricing: Pricing) => NanoUsd): NanoUsd {
  let dearest = 0n;
  for (const { pricing } of model.chain) {
    const cost = costAt(pricing);
    if (cost > dearest) dearest = cost;
  }
  return dearest;
}

/** Returns the same for a route that bills one unit, at the slot's input price. */
export function dearestCostOfUnits(model: Model, quantity: bigint): NanoUsd {
  return dearestCost(model, ({ input }) => costOf([{ quantity, price: input }]));
}
