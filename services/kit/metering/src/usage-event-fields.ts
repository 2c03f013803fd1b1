import type { Model, Slot } from "@tollgate/catalog/model";
import { costOf, maxBalanceNanoUsd, minOf } from "@tollgate/core/money";
import { Outcome, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Measurement } from "./measurement.ts";

/** The fields of a usage event that depend on the outcome of the generation. */
export type OutcomeFields = Pick<
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

/** The fields of a generation that is not billed. */
export const failedFields: OutcomeFields = {
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
 * Returns the fields of a generation that a slot served. The quantities are those that the provider
 * reported. The cost is at most what a wallet can hold, so that an absurd quantity still fits the
 * message and the database column.
 */
export function completedFields(
  slot: Slot,
  { quantity, basis, lines, tokens, corpusSize }: Measurement,
): OutcomeFields {
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

/** Returns the fields that depend on the model. */
export function modelFields({ routeType, alias, unitType }: Model) {
  return { routeType, alias, unitType };
}
