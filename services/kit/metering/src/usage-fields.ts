import type { Model, Slot } from "@tollgate/catalog/model";
import { costOf, maxBalanceNanoUsd, minOf } from "@tollgate/core/money";
import { Outcome, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Measured } from "./measured.ts";

/** What a usage event says of how a generation ended. */
export type Ended = Pick<
  UsageEvent,
  | "outcome"
  | "provider"
  | "upstreamModel"
  | "quantity"
  | "basis"
  | "promptTokens"
  | "completionTokens"
  | "cachedPromptTokens"
  | "corpusSize"
  | "costNanoUsd"
>;

/** Of one that is not billed. */
export const failedUsage: Ended = {
  outcome: Outcome.FAILED,
  provider: "",
  upstreamModel: "",
  quantity: 0n,
  basis: "none",
  promptTokens: 0n,
  completionTokens: 0n,
  cachedPromptTokens: 0n,
  corpusSize: 0n,
  costNanoUsd: 0n,
};

/**
 * Of one that a slot served. What a provider reports is counted as it says, but no wallet can hold
 * more than the greatest cost there is: what comes of an absurd count still fits a message and a
 * column.
 */
export function completedUsage(
  slot: Slot,
  { quantity, basis, lines, tokens, corpusSize }: Measured,
): Ended {
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
    costNanoUsd: minOf(costOf(lines), maxBalanceNanoUsd),
  };
}

/** What it says of the model. */
export function eventOfModel({ routeType, alias, unitType }: Model) {
  return { routeType, alias, unitType };
}
