import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createBatch } from "@tollgate/kit/batch";
import { isStatementFault } from "@tollgate/kit/database/pool";
import { newId } from "@tollgate/kit/ids";
import type { Metrics } from "@tollgate/kit/operations/metrics";
import { Outcome, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";

const batchLimit = 256;

/**
 * Captures usage events, many in one statement. Resolves once the event's entry is committed, also
 * when an earlier delivery of the same event had written it: then nothing changes.
 */
export function createCapture(
  pool: pg.Pool,
  metrics?: Pick<Metrics, "uncollected">,
): (event: UsageEvent) => Promise<void> {
  return createBatch({
    run: async (events) => {
      const uncollected = await captureBatch(pool, events);
      if (uncollected > 0n) metrics?.uncollected.inc(Number(uncollected));
      return events.map(() => undefined);
    },
    limit: batchLimit,
    isolates: isStatementFault,
  });
}

/**
 * The rule of a charge is the function `capture_events`, beside the tables that it moves. Answers
 * what of the costs stayed uncollected, nano-USD.
 */
async function captureBatch(pool: pg.Pool, events: readonly UsageEvent[]): Promise<bigint> {
  const { rows } = await pool.query<{ uncollected: bigint }>({
    name: "capture-events",
    text: "SELECT capture_events($1::jsonb) AS uncollected",
    values: [JSON.stringify(events.map(toRow))],
  });
  return rows[0]?.uncollected ?? 0n;
}

function toRow(event: UsageEvent): Record<string, unknown> {
  const failed = event.outcome === Outcome.FAILED;
  const cost = failed ? 0n : event.costNanoUsd;
  return {
    id: newId("entry"),
    event_id: event.id,
    account_id: event.accountId,
    key_id: event.keyId,
    hold_id: event.holdId,
    kind: failed ? "failure" : "usage",
    cost: String(cost),
    charge_limit: String(event.reportedNanoUsd ?? cost),
    charge_id: failed || event.chargeId === "" ? null : event.chargeId,
    request_id: event.requestId,
    route_type: event.routeType,
    alias: event.alias,
    provider: event.provider,
    upstream_model: event.upstreamModel,
    unit_type: event.unitType,
    quantity: String(event.quantity),
    basis: event.basis,
    corpus_size: String(event.corpusSize),
    prompt_tokens: String(event.promptTokens),
    completion_tokens: String(event.completionTokens),
    cached_prompt_tokens: String(event.cachedPromptTokens),
    conversation_id: event.conversationId === "" ? null : event.conversationId,
    occurred_at: (event.occurredAt ? timestampDate(event.occurredAt) : new Date(0)).toISOString(),
  };
}
