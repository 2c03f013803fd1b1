import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Model, Slot } from "@tollgate/catalog/model";
import type { NanoUsd } from "@tollgate/core/money";
import { storableText } from "@tollgate/core/storable-text";
import type { Measurement } from "@tollgate/metering/measurement";
import { completedFields, failedFields, modelFields } from "@tollgate/metering/usage-event-fields";
import type { Publisher } from "@tollgate/metering/usage-publisher";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import {
  AttemptSchema,
  RequestTrailSchema,
  UsageEventSchema,
} from "@tollgate/proto/tollgate/v1/usage";
import { countUsage, logGeneration, type Reporting } from "./reporting.ts";
import { maxIdCharacters } from "./trail.ts";

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
  job: LateJob;
}

/** The job that was found ended. */
export interface LateJob {
  /** The provider's id, which clients have. */
  id: string;
  heldNanoUsd: NanoUsd;
  /** How long the read took that found it ended. */
  readMs: number;
  /** The request that created it, and what its client called that. */
  creation: { requestId: string; clientRequestId: string };
}

/**
 * Bills a generation. Each call is counted and logged, but an event id is charged only once. Resolves
 * once the event is durable.
 */
export async function recordLateUsage(
  { publisher, metrics, log, now }: Reporting & { publisher: Publisher; now(): Date },
  late: LateUsage,
): Promise<void> {
  const { eventId, caller, model, slot, holdId, measured } = late;
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
    trail: trailOf(late),
    occurredAt: timestampFromDate(now()),
  });
  const cost = measured === undefined ? undefined : usage.costNanoUsd;
  if (cost !== undefined) countUsage({ metrics }, model, usage);
  const { lines } = usage;
  logGeneration(log, { caller, model, slotId: slot.id, cost, lines });
  await publisher.publish(event);
}

/** Returns the trail of the read, which names the creation, too. A read of the gateway's own has no client. */
function trailOf({ caller, slot, measured, job }: LateUsage) {
  const { endpoint, userAgent, clientRequestId } = caller;
  const { provider, upstreamModel } = slot;
  const durationMs = Math.round(job.readMs);
  const failed = { errorCode: "rejected", reason: "the job has failed" };
  const attempt = create(AttemptSchema, {
    ...{ provider: provider.name, upstreamModel, key: provider.key?.name ?? "", durationMs },
    ...(measured === undefined ? failed : {}),
  });
  return create(RequestTrailSchema, {
    attempts: [attempt],
    durationMs,
    errorCode: measured === undefined ? "upstream_rejected" : "",
    heldNanoUsd: job.heldNanoUsd,
    clientStatus: endpoint === "" ? 0 : 200,
    ...{ endpoint, userAgent, clientRequestId },
    responseId: storableText(job.id, maxIdCharacters),
    creationRequestId: job.creation.requestId,
    creationClientRequestId: job.creation.clientRequestId,
  });
}
