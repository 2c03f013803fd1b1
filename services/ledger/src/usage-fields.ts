import { timestampDate } from "@bufbuild/protobuf/wkt";
import { lostPrefix, newId } from "@tollgate/core/ids";
import { Outcome, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { nullField, quoteElement, rowLiteral } from "./row-literal.ts";

/** A field of a usage event, as the SQL of a capture reads it. */
export interface UsageField {
  /** Its name in the composite type `usage_event`. */
  name: string;
  type: "text" | "bigint" | "timestamptz";
  /** The column of the table `entry` that stores it unchanged, if there is one. */
  entryColumn?: string;
  /** Returns its value. Null: NULL in SQL. */
  read(event: UsageEvent): string | bigint | Date | null;
}

/**
 * The fields of the composite type `usage_event`, in its order. A test compares the list with the type
 * and with the columns of the entries in a migrated database.
 */
export const usageFields: readonly UsageField[] = [
  stored(text("id", (event) => entryIdOf(event.id))),
  stored(text("event_id", (event) => event.id)),
  stored(text("account_id", (event) => event.accountId)),
  stored(text("key_id", (event) => event.keyId)),
  stored(text("end_user", (event) => event.endUser)),
  text("hold_id", (event) => event.holdId),
  text("shared_hold_id", (event) => event.sharedHoldId),
  bigint("shared_amount", (event) => event.sharedNanoUsd),
  bigint("shared_tokens", (event) => event.sharedTokens),
  bigint("shared_in_progress", (event) => BigInt(event.sharedInProgress)),
  stored(text("kind", (event) => (isFailed(event) ? "failure" : "usage"))),
  bigint("cost", costOf),
  bigint("charge_limit", (event) => event.reportedNanoUsd ?? costOf(event)),
  {
    ...bigint("provider_cost", (event) => event.providerCostNanoUsd ?? null),
    entryColumn: "provider_cost_nano_usd",
  },
  stored(text("plan", (event) => event.plan)),
  stored(text("charge_id", (event) => (isFailed(event) ? null : orNull(event.chargeId)))),
  stored(text("request_id", (event) => event.requestId)),
  stored(text("route_type", (event) => event.routeType)),
  stored(text("alias", (event) => event.alias)),
  stored(text("provider", (event) => lastSlotOf(event).provider)),
  stored(text("upstream_model", (event) => lastSlotOf(event).upstreamModel)),
  stored(text("unit_type", (event) => event.unitType)),
  stored(bigint("quantity", (event) => event.quantity)),
  stored(text("basis", (event) => event.basis)),
  stored(bigint("corpus_size", (event) => event.corpusSize)),
  stored(bigint("prompt_tokens", (event) => event.promptTokens)),
  stored(bigint("completion_tokens", (event) => event.completionTokens)),
  stored(bigint("cached_prompt_tokens", (event) => event.cachedPromptTokens)),
  stored(text("conversation_id", (event) => orNull(event.conversationId))),
  stored(time("occurred_at", occurredAtOf)),
  text("error_code", (event) => orNull(event.trail?.errorCode)),
];

/** Returns an event as a literal of the type `usage_event`. */
export function usageEventLiteral(event: UsageEvent): string {
  return rowLiteral(usageFields.map(({ read }) => literalOf(read(event))));
}

function literalOf(value: string | bigint | Date | null): string {
  if (value === null) return nullField;
  if (typeof value === "string") return quoteElement(value);
  return typeof value === "bigint" ? value.toString() : value.toISOString();
}

function text(name: string, read: (event: UsageEvent) => string | null): UsageField {
  return { name, type: "text", read };
}

function bigint(name: string, read: (event: UsageEvent) => bigint | null): UsageField {
  return { name, type: "bigint", read };
}

function time(name: string, read: (event: UsageEvent) => Date): UsageField {
  return { name, type: "timestamptz", read };
}

/** Returns a field that entries store in the column of its name. */
function stored(field: UsageField): UsageField {
  return { ...field, entryColumn: field.name };
}

function isFailed({ outcome }: UsageEvent): boolean {
  return outcome === Outcome.FAILED;
}

function costOf(event: UsageEvent): bigint {
  return isFailed(event) ? 0n : event.costNanoUsd;
}

/** Returns the slot that served, or that failed last. */
function lastSlotOf(event: UsageEvent): { provider: string; upstreamModel: string } {
  const failed = event.provider === "" ? event.trail?.attempts.at(-1) : undefined;
  return failed ?? event;
}

function orNull(value: string | undefined): string | null {
  return value === undefined || value === "" ? null : value;
}

function occurredAtOf({ occurredAt }: UsageEvent): Date {
  return occurredAt ? timestampDate(occurredAt) : new Date(0);
}

const requestPrefix = "req_";

/** A request has one entry, whose id is therefore made from the request's id, and one of its loss. */
function entryIdOf(eventId: string): string {
  if (eventId.startsWith(lostPrefix)) {
    return `${entryIdOf(eventId.slice(lostPrefix.length))}_lost`;
  }
  if (!eventId.startsWith(requestPrefix)) return newId("entry");
  return `entry_${eventId.slice(requestPrefix.length)}`;
}
