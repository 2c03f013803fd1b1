import { hash } from "node:crypto";
import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { type ProxiedRequest, sendJsonBytes } from "@tollgate/http/proxied-request";
import type { ReadOcrJobRequest } from "@tollgate/proto/tollgate/v1/document";
import { chainFailure, SlotFailure } from "@tollgate/upstream/failure";
import type { OcrJob, PrismaClient } from "../generated/client.ts";
import { reportedPages } from "../pages.ts";
import { measurePages } from "./document.ts";
import { withOcrForm } from "./form.ts";
import { askSlot, forwardForm, type OcrAnswer } from "./forward.ts";
import { canBeJobId, jobIdOf } from "./job-id.ts";
import { jobPathOf, jobsPathOf } from "./job-paths.ts";
import { jobStateOf } from "./job-state.ts";

export interface JobParts {
  runtime: ProviderRuntime;
  prisma: PrismaClient;
  log: Log;
  now(): Date;
}

/**
 * POST /v1/ocr/jobs, as the edge proxies it: the provider's answer, which names the job. Nothing is
 * metered yet; the job is recorded as its account's.
 */
export async function createJob(
  { runtime, prisma }: JobParts,
  request: ProxiedRequest,
): Promise<void> {
  const { engine, providers } = runtime;
  const { res, caller, signal } = request;
  await withOcrForm(runtime, request, async (form, model) => {
    const { slot, response } = await engine.attemptFree(model, async (one) => {
      const order = { path: jobsPathOf(one), requestId: caller.requestId };
      const made = await forwardForm(providers, one, order, form, signal);
      return { ...made, jobId: jobIdOf(made.value) };
    });
    const job = {
      alias: model.alias,
      jobId: response.jobId,
      accountId: caller.accountId,
      keyId: caller.keyId,
      slotId: slot.id,
      fileParts: form.fileParts,
    };
    // A provider may name a job again that it was given before; the account has it already.
    await prisma.ocrJob.createMany({ data: job, skipDuplicates: true });
    sendJsonBytes(res, response.bytes, response.status);
  });
}

/**
 * Asks how a job stands. Raises `not_found` for a job that is not the account's. The usage event's
 * id is made from the job's, so that reads which race, or repeat, meter it once.
 */
export async function readJob(
  parts: JobParts,
  { alias, jobId, caller }: ReadOcrJobRequest,
  signal: AbortSignal,
): Promise<{ body: Uint8Array }> {
  const { runtime, prisma, log, now } = parts;
  const model = runtime.engine.resolve(alias, "ocr");
  if (caller === undefined || !canBeJobId(jobId)) throw unknownJob();
  const job = await prisma.ocrJob.findFirst({
    where: { accountId: caller.accountId, alias, jobId },
    // Of two slots' jobs that are called alike, the one that was made last is meant.
    orderBy: { createdAt: "desc" },
  });
  if (job === null) throw unknownJob();
  const slot = slotOf(job, model);
  const answer = await askForJob(runtime, slot, jobId, signal);
  const state = jobStateOf(answer.value);
  if (job.meteredAt === null && state !== "running") {
    const measured = measurePages(reportedPages(answer.value), job.fileParts, slot);
    await runtime.engine.recordLate({
      eventId: eventIdOf(job),
      caller: { ...caller, keyId: job.keyId },
      model,
      slot,
      measured: state === "done" ? measured : undefined,
    });
    // Should this fail, the next read meters again, under the same event id.
    await markMetered(prisma, job, now()).catch((error: Error) => {
      log.warn({ reason: error.message }, "a job was metered but not marked");
    });
  }
  return { body: answer.bytes };
}

/** The longest that an event's id may be, in bytes, with room to spare. */
const maxEventIdBytes = 2_000;

/** Every job has one of its own, whatever stands in its parts. */
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

async function askForJob(
  { providers }: ProviderRuntime,
  slot: Slot,
  jobId: string,
  signal: AbortSignal,
): Promise<OcrAnswer> {
  try {
    const headers = { accept: "application/json" };
    const request = { method: "GET", path: jobPathOf(slot, jobId), headers } as const;
    return await askSlot(providers, slot, request, signal);
  } catch (error) {
    throw error instanceof SlotFailure ? chainFailure([error]) : error;
  }
}

/** Only the slot that took a job knows of it. */
function slotOf({ slotId }: OcrJob, { chain, alias }: Model): Slot {
  const slot = chain.find(({ id }) => id === slotId);
  if (slot !== undefined) return slot;
  const message = `The provider that took this job no longer serves ${alias}.`;
  throw new GatewayError("no_provider_available", message);
}

function unknownJob(): GatewayError {
  return new GatewayError("not_found", "There is no such job.");
}
