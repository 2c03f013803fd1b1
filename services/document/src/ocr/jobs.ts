import { hash } from "node:crypto";
import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { highestCostOfUnits } from "@tollgate/generation/estimate";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { type ProxiedRequest, sendJsonBytes } from "@tollgate/http/proxied-request";
import type { ReadOcrJobRequest } from "@tollgate/proto/tollgate/v1/document";
import { ocrAdapterOf } from "@tollgate/providers/ocr";
import type { OcrResponse } from "@tollgate/providers/ocr-adapter";
import { chainFailure, SlotFailure } from "@tollgate/upstream/failure";
import type { OcrJob, PrismaClient } from "../generated/client.ts";
import { withOcrForm } from "./form.ts";
import { measurePages } from "./handler.ts";
import { canBeJobId, jobIdOf } from "./job-id.ts";
import { jobStateOf } from "./job-state.ts";

export interface JobParts {
  runtime: ProviderRuntime;
  prisma: PrismaClient;
  log: Log;
  now(): Date;
}

/**
 * Handles POST /v1/ocr/jobs, which the edge proxies: sends the provider's response, which names the
 * job, and records the job for its account. Nothing is metered yet. A key with limits must have
 * something left of them.
 */
export async function createJob(
  { runtime, prisma }: JobParts,
  request: ProxiedRequest,
): Promise<void> {
  const { engine, providers } = runtime;
  const { res, caller, signal } = request;
  await withOcrForm(runtime, request, async (form, model) => {
    await engine.admit({ caller, estimate: highestCostOfUnits(model, BigInt(form.pages)) });
    const { slot, response } = await engine.attemptFree(model, async (one) => {
      const call = { requestId: caller.requestId, signal };
      const created = await ocrAdapterOf(one).createJob(providers, one, form, call);
      return { ...created, jobId: jobIdOf(created.value) };
    });
    const job = {
      alias: model.alias,
      jobId: response.jobId,
      accountId: caller.accountId,
      keyId: caller.keyId,
      slotId: slot.id,
      fileParts: form.files.length,
      pages: form.pages,
    };
    // A provider may return a job that it created before. The account has its record already.
    await prisma.ocrJob.createMany({ data: job, skipDuplicates: true });
    sendJsonBytes(res, response.bytes, response.status);
  });
}

/**
 * Reads the state of a job from its provider, and meters the job when it has ended. Throws
 * `not_found` for a job of another account. The usage event's id is derived from the job, so that
 * concurrent or repeated reads meter it once.
 */
export async function readJob(
  parts: JobParts,
  { alias, jobId, caller }: ReadOcrJobRequest,
  signal: AbortSignal,
): Promise<{ body: Uint8Array }> {
  const { runtime, prisma, log, now } = parts;
  const model = runtime.engine.resolve(alias, "ocr", caller);
  if (caller === undefined || !canBeJobId(jobId)) throw unknownJob();
  const job = await prisma.ocrJob.findFirst({
    where: { accountId: caller.accountId, alias, jobId },
    // Jobs of two slots may have the same id: the latest one is read.
    orderBy: { createdAt: "desc" },
  });
  if (job === null) throw unknownJob();
  const slot = slotOf(job, model);
  const response = await requestJob(runtime, slot, jobId, signal);
  const state = jobStateOf(response.value);
  if (job.meteredAt === null && state !== "running") {
    const measured = measurePages(response.value, job, slot);
    await runtime.engine.recordLate({
      eventId: eventIdOf(job),
      caller: { ...caller, keyId: job.keyId },
      model,
      slot,
      measured: state === "done" ? measured : undefined,
    });
    // If this fails, the next read meters the job again, under the same event id.
    await markMetered(prisma, job, now()).catch((error: Error) => {
      log.warn({ reason: error.message }, "job metered but not marked");
    });
  }
  return { body: response.bytes };
}

/** The longest event id, in bytes. The ledger accepts 2,500. */
const maxEventIdBytes = 2_000;

/** Returns an id that is unique for the job. Encoded parts cannot contain the separator. */
function eventIdOf({ accountId, alias, slotId, jobId }: OcrJob): string {
  const parts = ["ocr-job", accountId, alias, slotId, jobId].map(encodeURIComponent);
  const id = parts.join(":");
  return id.length <= maxEventIdBytes ? id : `ocr-job:${hash("sha256", id)}`;
}

async function markMetered(
  prisma: PrismaClient,
  { accountId, alias, jobId, slotId }: OcrJob,
  meteredAt: Date,
): Promise<void> {
  const key = { accountId, alias, jobId, slotId };
  await prisma.ocrJob.update({
    where: { accountId_alias_jobId_slotId: key },
    data: { meteredAt },
  });
}

async function requestJob(
  { providers }: ProviderRuntime,
  slot: Slot,
  jobId: string,
  signal: AbortSignal,
): Promise<OcrResponse> {
  try {
    return await ocrAdapterOf(slot).readJob(providers, slot, jobId, signal);
  } catch (error) {
    throw error instanceof SlotFailure ? chainFailure([error]) : error;
  }
}

/** Returns the slot that created the job, the only one that knows it. */
function slotOf({ slotId }: OcrJob, { chain, alias }: Model): Slot {
  const slot = chain.find(({ id }) => id === slotId);
  if (slot !== undefined) return slot;
  const message = `The provider that created this job no longer serves ${alias}.`;
  throw new GatewayError("no_provider_available", message);
}

function unknownJob(): GatewayError {
  return new GatewayError("not_found", "This job does not exist.");
}
