import type { Model, Pricing } from "@tollgate/catalog/model";
import { costOf, type NanoUsd } from "@tollgate/core/money";

/** Returns the cost at the dearest slot of the chain: the hold is taken before a slot is chosen. */
export function dearestCost(model: Model, costAt: (pricing: Pricing) => NanoUsd): NanoUsd {
  let dearest = 0n;
  for (const { pricing } of model.chain) {
    const cost = costAt(pricing);
    if (cost > dearest) dearest = cost;
  }
  return dearest;
}

/** The same where one unit is billed, at the slot's input price. */
export function dearestCostOfUnits(model: Model, quantity: bigint): NanoUsd {
  return dearestCost(model, ({ input }) => costOf([{ quantity, price: input }]));
}
