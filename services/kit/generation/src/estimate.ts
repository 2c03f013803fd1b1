import type { Model, Pricing } from "@tollgate/catalog/model";
import { costOf, type NanoUsd } from "@tollgate/core/money";

/**
 * Returns the cost at the most expensive slot of the chain. The hold is taken before it is known which
 * slot serves.
 */
export function highestCost(model: Model, costAt: (pricing: Pricing) => NanoUsd): NanoUsd {
  let mostExpensive = 0n;
  for (const { pricing } of model.chain) {
    const cost = costAt(pricing);
    if (cost > mostExpensive) mostExpensive = cost;
  }
  return mostExpensive;
}

/** Returns the same for a route that bills one unit, at the slot's input price. */
export function highestCostOfUnits(model: Model, quantity: bigint): NanoUsd {
  return highestCost(model, ({ input }) => costOf([{ quantity, price: input }]));
}
