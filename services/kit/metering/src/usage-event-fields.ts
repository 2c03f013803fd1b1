import type { Model, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import { divideCost, maxBalanceNanoUsd, minOf, nanoCostOf } from "@tollgate/core/money";
import { Outcome, type UsageEvent, type UsageLine } from "@tollgate/proto/tollgate/v1/usage";
import type { Measurement, PricedLine } from "./measurement.ts";

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
  | "lines"
  | "providerUsage"
  | "providerCostNanoUsd"
>;

/** The most bytes of a provider's usage block that an event contains. The usual ones have 300. */
const maxProviderUsageBytes = 4_096;
const maxUint64 = 2n ** 64n - 1n;

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
  lines: [],
  providerUsage: "",
};

/**
 * Returns the fields of a generation that a slot served. The quantities are those that the provider
 * reported. The cost is at most what a wallet can hold, so that an absurd quantity still fits the
 * message and the database column.
 */
export function completedFields(
  slot: Slot,
  { quantity, basis, lines, providerLines, tokens, corpusSize, providerUsage }: Measurement,
): OutcomeFields {
  const { cost, amounts } = divideCost(lines, maxBalanceNanoUsd);
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
    costNanoUsd: cost,
    lines: lines.map((line, index) => toUsageLine(line, amounts[index] ?? 0n)),
    providerUsage: providerUsage === undefined ? "" : boundedJson(providerUsage),
    ...(providerLines && {
      providerCostNanoUsd: minOf(nanoCostOf(providerLines), maxBalanceNanoUsd),
    }),
  };
}

/** A price that does not fit the message, over 18 million USD, is recorded as the largest. */
function toUsageLine({ dimension, quantity, price }: PricedLine, amountNanoUsd: bigint): UsageLine {
  return {
    $typeName: "tollgate.v1.UsageLine",
    dimension,
    quantity,
    pricePicoUsd: minOf(price.picoUsd, maxUint64),
    per: price.per,
    amountNanoUsd,
  };
}

/** Returns the JSON of a usage block, or an empty text where it is too long: a part is no JSON. */
function boundedJson(block: JsonObject): string {
  const text = JSON.stringify(block);
  return Buffer.byteLength(text) > maxProviderUsageBytes ? "" : text;
}

/** Returns the fields that depend on the model. */
export function modelFields({ routeType, alias, unitType, plan = "" }: Model) {
  return { routeType, alias, unitType, plan };
}
