import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Batch, createBatch } from "@tollgate/core/batch";
import { newId } from "@tollgate/core/ids";
import { Outcome, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { isStatementFault } from "@tollgate/runtime/database/pool";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type pg from "pg";

const batchLimit = 256;
/**
 * A statement costs as much as some fifteen of its lines, so that few are better. Who waits for
 * what is kept hurries it.
 */
const gather = { items: 128, ms: 16 };

export type Capture = Batch<UsageEvent, void>;

/**
 * Captures usage events, many in one statement. Resolves once the event's entry is committed, also
 * when an earlier delivery of the same event had written it: then nothing changes.
 */
export function createCapture(pool: pg.Pool, metrics?: Pick<Metrics, "uncollected">): Capture {
  return createBatch<UsageEvent, void>({
    run: async (events) => {
      const uncollected = await captureBatch(pool, events);
      if (uncollected > 0n) metrics?.uncollected.inc(Number(uncollected));
      return events.map(() => undefined);
    },
    limit: batchLimit,
    gather,
    isolates: isStatementFault,
  });
}

/**
 * The rule of a charge is the function `capture_usage`, beside the tables that it moves. Answers
 * what of the costs stayed uncollected, nano-USD.
 */
async function captureBatch(pool: pg.Pool, events: readonly UsageEvent[]): Promise<bigint> {
  const { rows } = await pool.query<{ uncollected: bigint }>({
    name: "capture-usage",
    text: "SELECT capture_usage($1::usage_row[]) AS uncollected",
    values: [events.map(toLine)],
  });
  return rows[0]?.uncollected ?? 0n;
}

/** An event as Postgres writes a row of the type `usage_row`, whose order of fields this is. */
function toLine(event: UsageEvent): string {
  const failed = event.outcome === Outcome.FAILED;
  const cost = failed ? 0n : event.costNanoUsd;
  const occurredAt = event.occurredAt ? timestampDate(event.occurredAt) : new Date(0);
  const fields = [
    entryIdOf(event.id),
    quote(event.id),
    quote(event.accountId),
    quote(event.keyId),
    quote(event.holdId),
    quote(event.sharedHoldId),
    event.sharedNanoUsd,
    failed ? "failure" : "usage",
    cost,
    event.reportedNanoUsd ?? cost,
    failed ? nothing : quoteUnlessEmpty(event.chargeId),
    quote(event.requestId),
    quote(event.routeType),
    quote(event.alias),
    quote(event.provider),
    quote(event.upstreamModel),
    quote(event.unitType),
    event.quantity,
    quote(event.basis),
    event.corpusSize,
    event.promptTokens,
    event.completionTokens,
    event.cachedPromptTokens,
    quoteUnlessEmpty(event.conversationId),
    occurredAt.toISOString(),
  ];
  return `(${fields.join(",")})`;
}

/** How a row has NULL. */
const nothing = "";

function quoteUnlessEmpty(text: string): string {
  return text === "" ? nothing : quote(text);
}

/** Nearly all are ids and names, which need no quotes. */
const plain = /^[\w./:@-]+$/;

function quote(text: string): string {
  return plain.test(text) ? text : `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

const requestPrefix = "req_";

/** A request has one entry, so its entry takes over what makes its id unique. */
function entryIdOf(eventId: string): string {
  if (!eventId.startsWith(requestPrefix)) return newId("entry");
  return `entry_${eventId.slice(requestPrefix.length)}`;
}
