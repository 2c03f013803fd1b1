import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { highestCostOfUnits } from "@tollgate/generation/estimate";
import type { JobHold } from "@tollgate/generation/job-holds";
import { type ProxiedRequest, sendJsonBytes } from "@tollgate/http/proxied-request";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { ReadOcrJobRequest } from "@tollgate/proto/tollgate/v1/document";
import { ocrAdapterOf } from "@tollgate/providers/ocr";
import { type ReceivedOcrForm, withOcrForm } from "./form.ts";
import { canBeJobId, jobIdOf } from "./job-id.ts";
import { keepJob, keptWithinMs } from "./job-keeping.ts";
import type { JobParts } from "./job-parts.ts";
import { readAndSettle } from "./job-settlement.ts";

/** How long the creation of a job may take, over all slots. */
const creationMs = 5 * 60_000;

/**
 * Handles POST /v1/ocr/jobs, which the edge proxies: sends the provider's response, which names the
 * job, and records the job for its account. Takes the hold of the synchronous call, which stays with
 * the job; nothing is metered yet. Once the provider is called, the job is created and kept also for a
 * client that leaves: the provider may bill it.
 */
export async function createJob(parts: JobParts, request: ProxiedRequest): Promise<void> {
  const { runtime, log } = parts;
  const { res, caller, cancellation } = request;
  await withOcrForm(runtime, request, async (form, model) => {
    const estimate = highestCostOfUnits(model, BigInt(form.pages));
    const hold = await runtime.engine.jobHolds.take({ caller, estimate, cancellation });
    const { signal } = cancellation;
    const creation = { form, model, caller, hold, signal };
    const { response, job, isHeld } = await create(parts, creation);
    if (isHeld) {
      // If this fails, it is done again: see `keepJobs`.
      await keepJob(parts, job).catch(({ message: reason }: Error) => {
        log.warn({ reason }, "the hold of an OCR job is not kept yet");
      });
      hold.handOver();
    }
    sendJsonBytes(res, response.bytes, response.status);
  });
}

interface Creation {
  form: ReceivedOcrForm;
  model: Model;
  caller: Caller;
  hold: JobHold;
  signal: AbortSignal;
}

/**
 * Creates a job at a provider, and records it. Resolves with whether it has the hold, which is
 * released if it has not.
 */
async function create({ runtime, store, now }: JobParts, creation: Creation) {
  const { form, model, caller, hold } = creation;
  const { engine, providers } = runtime;
  const { requestId, clientRequestId, accountId, keyId } = caller;
  try {
    const signal = AbortSignal.any([creation.signal, AbortSignal.timeout(creationMs)]);
    const call = { requestId, signal };
    const attempt = (one: Slot) =>
      hold.attempt(async () => {
        const created = await ocrAdapterOf(one).createJob(providers, one, form, call);
        return { ...created, jobId: jobIdOf(created.value) };
      });
    const { slot, response } = await engine.attemptFree(model, attempt, caller, true);
    const at = now().getTime();
    const job = {
      ...{ alias: model.alias, jobId: response.jobId, accountId, keyId },
      ...{ requestId, clientRequestId },
      slotId: slot.id,
      keyName: slot.provider.key?.name ?? "",
      fileParts: form.files.length,
      plan: model.plan ?? "",
      pages: form.pages,
      holdId: hold.id ?? null,
      holdNanoUsd: hold.amount,
      holdUntil: new Date(at + (model.ocr?.jobHoldMs ?? 0)),
      nextAt: hold.id === undefined ? null : new Date(at + keptWithinMs),
    };
    const isHeld = await store.record(job);
    if (!isHeld) hold.abandon();
    return { response, job, isHeld };
  } catch (error) {
    hold.abandon();
    throw error;
  }
}

/**
 * Reads the state of a job from its provider, and bills the job when it has ended. Throws `not_found`
 * for a job of another account, and `credit_balance_exhausted` for one that is done and that nothing
 * pays for.
 */
export async function readJob(
  parts: JobParts,
  { alias, jobId, caller }: ReadOcrJobRequest,
  signal: AbortSignal,
): Promise<{ body: Uint8Array }> {
  const { engine } = parts.runtime;
  engine.resolve(alias, "ocr", caller);
  if (caller === undefined || !canBeJobId(jobId)) throw unknownJob();
  const { accountId } = caller;
  const job = await parts.store.find({ accountId, alias, jobId });
  if (job === null) throw unknownJob();
  const model = engine.resolve(alias, "ocr", { ...caller, plan: job.plan });
  const { response, state, slot } = await readAndSettle(parts, { job, model, caller }, signal);
  if (state !== "failed") return { body: response.bytes };
  const text = Buffer.from(response.bytes).toString("utf8");
  return { body: Buffer.from(parts.runtime.providers.redact(slot, text)) };
}

function unknownJob(): GatewayError {
  return new GatewayError("not_found", "This job does not exist.");
}
