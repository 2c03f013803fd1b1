import { Outcome } from "@tollgate/proto/tollgate/v1/usage";
import type { Model, Slot } from "../catalog/model.ts";
import { costOf } from "../money.ts";
import type { Measured } from "../pipeline.ts";

/** What a usage event says of a generation that is not billed. */
export const failedUsage = { outcome: Outcome.FAILED, basis: "none" } as const;

/** What it says of the model. */
export function eventOfModel({ routeType, alias, unitType }: Model) {
  return { routeType, alias, unitType };
}

/** What it says of a generation that a slot served. */
export function completedUsage(
  slot: Slot,
  { quantity, basis, lines, tokens, corpusSize }: Measured,
) {
  return {
    outcome: Outcome.COMPLETED,
    provider: slot.provider.name,
    upstreamModel: slot.upstreamModel,
    quantity,
    basis,
    promptTokens: tokens?.prompt ?? 0n,
    completionTokens: tokens?.completion ?? 0n,
    cachedPromptTokens: tokens?.cachedPrompt ?? 0n,
    corpusSize: corpusSize ?? 0n,
    costNanoUsd: costOf(lines),
  };
}
