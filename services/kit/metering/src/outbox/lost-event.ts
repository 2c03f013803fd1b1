import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { lostEventIdOf, newId } from "@tollgate/core/ids";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { emptyHold } from "../holds/hold.ts";
import { failedFields } from "../usage-event-fields.ts";

/** What the entry of a request has, where its process is killed. */
export type RunningFields = Pick<
  UsageEvent,
  "requestId" | "accountId" | "keyId" | "endUser" | "routeType" | "alias" | "unitType" | "plan"
>;

/** A request, and when it began, in milliseconds since 1970. */
export type RunningEntry = readonly [RunningFields, number];

/** Returns the id of a record of the event log that has running requests. */
export function newRunningRecordId(): string {
  return newId("running");
}

/** Returns whether an id is that of such a record. */
export function isRunningRecord(id: string): boolean {
  return id.startsWith("running_");
}

/** Encodes the requests of a record. JSON: to encode a usage event for each would take some 10 µs. */
export function encodeRunning(entries: readonly RunningEntry[]): Uint8Array {
  return Buffer.from(JSON.stringify(entries));
}

/**
 * Returns the usage events of a record's requests, for where their process was killed: failures. Throws if
 * it is not one.
 */
export function decodeLost(bytes: Uint8Array): UsageEvent[] {
  const entries = JSON.parse(Buffer.from(bytes).toString()) as RunningEntry[];
  return entries.map(lostEventOf);
}

function lostEventOf([fields, beganAtMs]: RunningEntry): UsageEvent {
  return {
    $typeName: "tollgate.v1.UsageEvent",
    id: lostEventIdOf(fields.requestId),
    ...fields,
    ...emptyHold.settle(0n, 0n),
    ...failedFields,
    occurredAt: timestampFromMs(beganAtMs),
    chargeId: "",
    conversationId: "",
  };
}
