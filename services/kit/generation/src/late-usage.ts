import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Model, Slot } from "@tollgate/catalog/model";
import type { Measurement } from "@tollgate/metering/measurement";
import { completedFields, failedFields, modelFields } from "@tollgate/metering/usage-event-fields";
import type { Publisher } from "@tollgate/metering/usage-publisher";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { countUsage, logGeneration, type Reporting } from "./reporting.ts";

/** The usage of a generation that one request started, and that a later request found ended. */
export interface LateUsage {
  eventId: string;
  caller: Caller;
  model: Model;
  slot: Slot;
  /** The hold that the usage event captures. Empty: it is charged from what is available. */
  holdId: string;
  /** Undefined where the generation failed. It is then not billed. */
  measured: Measurement | undefined;
}

/**
 * Bills a generation. Each call is counted and logged, but an event id is charged only once. Resolves
 * once the event is durable.
 */
export async function recordLateUsage(
  { publisher, metrics, log, now }: Reporting & { publisher: Publisher; now(): Date },
  { eventId, caller, model, slot, holdId, measured }: LateUsage,
): Promise<void> {
  const { requestId, accountId, keyId, endUser } = caller;
  const usage = measured === undefined ? failedFields : completedFields(slot, measured);
  const event = create(UsageEventSchema, {
    id: eventId,
    requestId,
    accountId,
    keyId,
    endUser,
    holdId,
    ...modelFields(model),
    ...usage,
    occurredAt: timestampFromDate(now()),
  });
  const cost = measured === undefined ? undefined : usage.costNanoUsd;
  if (cost !== undefined) countUsage({ metrics }, model, usage);
  const { lines } = usage;
  logGeneration(log, { caller, model, slotId: slot.id, cost, lines });
  await publisher.publish(event);
}
