import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { Outcome } from "@tollgate/proto/tollgate/v1/usage";
import type { Settlement } from "./settlement.ts";

/** A ledger entry as it is written; `recorded_at` is the database's own clock. */
export interface NewEntry {
  id: string;
  eventId: string;
  accountId: string;
  keyId: string;
  kind: "usage" | "failure" | "top_up";
  amountNanoUsd: bigint;
  costNanoUsd: bigint;
  uncollectedNanoUsd: bigint;
  requestId: string;
  routeType: string;
  alias: string;
  provider: string;
  upstreamModel: string;
  unitType: string;
  quantity: bigint;
  basis: string;
  promptTokens: bigint;
  completionTokens: bigint;
  cachedPromptTokens: bigint;
  reference: string;
  occurredAt: Date;
}

/** The entry of a settled usage event. */
export function usageEntry(id: string, { event, charge, uncollected }: Settlement): NewEntry {
  const failed = event.outcome === Outcome.FAILED;
  return {
    id,
    eventId: event.id,
    accountId: event.accountId,
    keyId: event.keyId,
    kind: failed ? "failure" : "usage",
    amountNanoUsd: -charge,
    costNanoUsd: charge + uncollected,
    uncollectedNanoUsd: uncollected,
    requestId: event.requestId,
    routeType: event.routeType,
    alias: event.alias,
    provider: event.provider,
    upstreamModel: event.upstreamModel,
    unitType: event.unitType,
    quantity: event.quantity,
    basis: event.basis,
    promptTokens: event.promptTokens,
    completionTokens: event.completionTokens,
    cachedPromptTokens: event.cachedPromptTokens,
    reference: "",
    occurredAt: dateOf(event.occurredAt),
  };
}

/** The entry of money added to a wallet. The reference makes its event id, and so idempotent. */
export function topUpEntry(
  id: string,
  topUp: { accountId: string; amountNanoUsd: bigint; reference: string; at: Date },
): NewEntry {
  return {
    id,
    eventId: topUpEventId(topUp.accountId, topUp.reference),
    accountId: topUp.accountId,
    keyId: "",
    kind: "top_up",
    amountNanoUsd: topUp.amountNanoUsd,
    costNanoUsd: 0n,
    uncollectedNanoUsd: 0n,
    requestId: "",
    routeType: "",
    alias: "",
    provider: "",
    upstreamModel: "",
    unitType: "",
    quantity: 0n,
    basis: "",
    promptTokens: 0n,
    completionTokens: 0n,
    cachedPromptTokens: 0n,
    reference: topUp.reference,
    occurredAt: topUp.at,
  };
}

export function topUpEventId(accountId: string, reference: string): string {
  return `top_up:${accountId}:${reference}`;
}

/** One array a column, in the order of `writeEntriesSql`. */
export function entryColumns(entries: readonly NewEntry[]): unknown[][] {
  return columns.map((column) => entries.map((entry) => entry[column]));
}

const columns = [
  "id",
  "eventId",
  "accountId",
  "keyId",
  "kind",
  "amountNanoUsd",
  "costNanoUsd",
  "uncollectedNanoUsd",
  "requestId",
  "routeType",
  "alias",
  "provider",
  "upstreamModel",
  "unitType",
  "quantity",
  "basis",
  "promptTokens",
  "completionTokens",
  "cachedPromptTokens",
  "reference",
  "occurredAt",
] as const satisfies readonly (keyof NewEntry)[];

/** Inserts entries from parameters $1 to $21. A second entry of the same event is an error. */
export const writeEntriesSql = `
  INSERT INTO entry (
    id, event_id, account_id, key_id, kind,
    amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
    request_id, route_type, alias, provider, upstream_model,
    unit_type, quantity, basis, prompt_tokens, completion_tokens, cached_prompt_tokens,
    reference, occurred_at
  )
  SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
    $6::bigint[], $7::bigint[], $8::bigint[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
    $14::text[], $15::bigint[], $16::text[], $17::bigint[], $18::bigint[], $19::bigint[],
    $20::text[], $21::timestamptz[]
  )`;

function dateOf(timestamp: Timestamp | undefined): Date {
  return timestamp === undefined ? new Date(0) : timestampDate(timestamp);
}
