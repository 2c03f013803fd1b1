import type { Model } from "@tollgate/catalog/model";
import { fallbackBases } from "@tollgate/core/fallback-bases";
import type { Log } from "@tollgate/core/log";
import { formatUsd, type NanoUsd } from "@tollgate/core/money";
import type { OutcomeFields } from "@tollgate/metering/usage-event-fields";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { UsageLine } from "@tollgate/proto/tollgate/v1/usage";
import type { Metrics } from "@tollgate/runtime/operations/metrics";

/** The log and the metrics of generations. */
export interface Reporting {
  log: Log;
  metrics: Metrics;
}

/** A generation that has ended, as the log reports it. */
export interface EndedGeneration {
  caller: Caller;
  model: Model;
  slotId: string | undefined;
  /** Undefined where it is not billed. */
  cost: NanoUsd | undefined;
  /** What the cost consists of. */
  lines?: readonly UsageLine[];
  /** How long it took. Undefined where another request started it. */
  ms?: number;
}

export function logGeneration(
  log: Log,
  { caller, model, slotId, cost, lines, ms }: EndedGeneration,
): void {
  const fields = {
    request_id: caller.requestId,
    route_type: model.routeType,
    alias: model.alias,
    slot: slotId,
    billed: cost !== undefined,
    cost_usd: cost === undefined ? undefined : formatUsd(cost),
    lines: lines?.map(({ dimension, quantity, amountNanoUsd }) => ({
      dimension,
      quantity: Number(quantity),
      amount_nano_usd: String(amountNanoUsd),
    })),
    ms,
  };
  log.info(fields, "generation");
}

/** Adds the cost and the tokens of a generation to the metrics, and a fallback that measured it. */
export function countUsage(
  { metrics }: Pick<Reporting, "metrics">,
  { alias, routeType }: Model,
  { costNanoUsd, promptTokens, completionTokens, basis }: OutcomeFields,
): void {
  if (fallbackBases.includes(basis)) metrics.fallbackMeasures.inc({ alias, basis });
  metrics.cost.inc({ route_type: routeType, alias }, Number(costNanoUsd));
  if (promptTokens > 0n) {
    metrics.tokens.inc({ alias, direction: "prompt" }, Number(promptTokens));
  }
  if (completionTokens > 0n) {
    metrics.tokens.inc({ alias, direction: "completion" }, Number(completionTokens));
  }
}
