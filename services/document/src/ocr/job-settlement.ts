import { hash } from "node:crypto";
import { slotWithKey } from "@tollgate/catalog/key-pool";
import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { costOf, formatUsd, type NanoUsd } from "@tollgate/core/money";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { ocrAdapterOf } from "@tollgate/providers/ocr";
import type { OcrResponse } from "@tollgate/providers/ocr-adapter";
import { chainFailure, SlotFailure } from "@tollgate/upstream/failure";
import type { OcrJob } from "../generated/client.ts";
import type { JobParts } from "./job-parts.ts";
import { type JobState, jobStateOf } from "./job-state.ts";
import { measurePages } from "./measure-pages.ts";

/** How long a hold that is taken for a read lasts, if its usage event is not captured. */
const readHoldMs = 60_000n;

/** A job that is read from its provider. */
export interface JobRead {
  job: OcrJob;
  model: Model;
  /** Whose request it is. What is billed is billed to the key of the job. */
  caller: Caller;
}

/** A read that found a job ended. */
interface EndedRead {
  slot: Slot;
  readMs: number;
  /** Undefined where the job has failed. */
  measured: ReturnType<typeof measurePages> | undefined;
}

/**
 * Reads a job from its provider, and bills it once if it has ended. Resolves with the provider's
 * response. Throws what the provider's failure is, and `credit_balance_exhausted` where the job is done,
 * its hold has ended, and less than its cost is available.
 */
export async function readAndSettle(
  parts: JobParts,
  read: JobRead,
  signal: AbortSignal,
): Promise<{ response: OcrResponse; state: JobState; slot: Slot }> {
  const slot = slotOf(read.job, read.model);
  const startedAt = performance.now();
  const response = await requestJob(parts, slot, read.job.jobId, signal);
  const state = jobStateOf(response.value);
  if (read.job.meteredAt === null && state !== "running") {
    const measured = measurePages(response.value, read.job, slot);
    const readMs = performance.now() - startedAt;
    await settle(parts, read, { slot, readMs, measured: state === "done" ? measured : undefined });
  }
  return { response, state, slot };
}

/**
 * Publishes the usage event of a job, whose id is derived from the job, so that concurrent or
 * repeated reads bill it once.
 */
async function settle(
  { runtime, store, log, now }: JobParts,
  { job, model, caller }: JobRead,
  { slot, readMs, measured }: EndedRead,
): Promise<void> {
  const { engine } = runtime;
  const eventId = eventIdOf(job);
  const cost = measured === undefined ? 0n : costOf(measured.lines);
  let holdId = job.holdId ?? "";
  if (cost > 0n && !isHeld(job, now())) {
    // All reads of the job create the same hold.
    holdId = job.holdId ?? eventId;
    const { accountId, keyId, alias, jobId } = job;
    const kept = await engine.jobHolds.keep({
      ...{ holdId, accountId, keyId, eventId, alias, jobId },
      amountNanoUsd: cost,
      isWhole: true,
      keepMs: readHoldMs,
    });
    if (kept.isRecorded) return store.markMetered(job, now());
    const { heldNanoUsd, walletBalanceNanoUsd, walletHeldNanoUsd } = kept;
    if (heldNanoUsd === 0n) throw unpaid(cost, walletBalanceNanoUsd - walletHeldNanoUsd);
  }
  const billed = { ...caller, accountId: job.accountId, keyId: job.keyId };
  const { requestId, clientRequestId } = job;
  await engine.recordLate({
    ...{ eventId, caller: billed, model, slot, holdId, measured },
    job: {
      ...{ id: job.jobId, heldNanoUsd: job.holdNanoUsd, readMs },
      creation: { requestId, clientRequestId },
    },
  });
  // If this fails, the next read bills the job again, under the same event id.
  await store.markMetered(job, now()).catch((error: Error) => {
    log.warn({ reason: error.message }, "job metered but not marked");
  });
}

/** Returns whether the ledger certainly has the hold of a job, however long its reads were delayed. */
function isHeld({ holdId, isKept, holdUntil }: OcrJob, now: Date): boolean {
  return holdId !== null && isKept && now < holdUntil;
}

/** Returns the id of a job's usage event. It tells nothing about the provider. */
export function eventIdOf({
  accountId,
  alias,
  slotId,
  jobId,
}: Pick<OcrJob, "accountId" | "alias" | "slotId" | "jobId">): string {
  const parts = JSON.stringify([accountId, alias, slotId, jobId]);
  return `ocr-job:${hash("sha256", parts)}`;
}

async function requestJob(
  { runtime }: JobParts,
  slot: Slot,
  jobId: string,
  signal: AbortSignal,
): Promise<OcrResponse> {
  try {
    return await ocrAdapterOf(slot).readJob(runtime.providers, slot, jobId, signal);
  } catch (error) {
    throw error instanceof SlotFailure ? chainFailure([error]) : error;
  }
}

/** Returns the slot that created the job, the only one that knows it, with the key that it had. */
function slotOf({ slotId, keyName }: OcrJob, { chain, alias }: Model): Slot {
  const slot = chain.find(({ id }) => id === slotId);
  if (slot !== undefined) return slotWithKey(slot, keyName);
  const message = `The provider that created this job no longer serves ${alias}.`;
  throw new GatewayError("no_provider_available", message);
}

function unpaid(cost: NanoUsd, available: NanoUsd): GatewayError {
  const message =
    `This job costs ${formatUsd(cost)} USD, and its hold has ended. The wallet has ` +
    `${formatUsd(available)} USD available, and a budget may have less: read the job again when ` +
    "both have its cost.";
  return new GatewayError("credit_balance_exhausted", message);
}
