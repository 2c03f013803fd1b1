import { create } from "@bufbuild/protobuf";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { OcrJob } from "../generated/client.ts";
import type { JobParts } from "./job-parts.ts";
import { eventIdOf, readAndSettle } from "./job-settlement.ts";
import type { JobWithHold } from "./job-store.ts";

/** A job whose creation has not had its hold kept by then lost the process that created it. */
export const keptWithinMs = 10_000;

const everyMs = 1_000;
const batchLimit = 20;
/** How long a replica has for a batch. */
const leaseMs = 2 * 60_000;
const readTimeoutMs = 60_000;
/** How long the read of a job is retried when the time of its hold is over. */
const graceMs = 15 * 60_000;
const retryMs = 60_000;

/**
 * Has the ledger keep the hold of a job until its time is over, and a little longer, so that the read
 * before its release can be retried. Idempotent.
 */
export async function keepJob(parts: JobParts, job: JobWithHold): Promise<void> {
  const { runtime, store, now } = parts;
  const { holdId, accountId, keyId, alias, jobId, holdNanoUsd, holdUntil } = job;
  if (holdId === null) return;
  const leftMs = Math.max(0, holdUntil.getTime() - now().getTime());
  const kept = await runtime.engine.jobHolds.keep({
    ...{ holdId, accountId, keyId, alias, jobId, eventId: eventIdOf(job) },
    amountNanoUsd: holdNanoUsd,
    isWhole: false,
    keepMs: BigInt(leftMs + graceMs),
  });
  if (kept.isRecorded) await release(parts, job);
  else await store.markKept(job);
}

/**
 * Looks after the holds of all jobs again and again, on each replica: those of creations that were
 * interrupted are kept, and at the end of its time, the gateway reads a job itself, bills it if it is
 * done, and releases its hold if it is not.
 */
export function keepJobs(parts: JobParts): Repeating {
  async function run(): Promise<void> {
    try {
      await tendDue(parts);
    } catch (error) {
      const reason = (error as Error).message;
      parts.log.warn({ reason }, "keeping the holds of OCR jobs failed and will be retried");
    }
  }
  return repeat(run, { everyMs });
}

/** Looks after the jobs that are due. */
export async function tendDue(parts: JobParts): Promise<void> {
  const { store, now } = parts;
  for (;;) {
    const at = now();
    const due = await store.claimDue(at, later(at, leaseMs), batchLimit);
    await Promise.all(due.map((job) => tend(parts, job)));
    if (due.length < batchLimit) return;
  }
}

async function tend(parts: JobParts, job: OcrJob): Promise<void> {
  try {
    if (job.meteredAt !== null) await release(parts, job);
    else if (!job.isKept && parts.now() < job.holdUntil) await keepJob(parts, job);
    else await end(parts, job);
  } catch (error) {
    const reason = (error as Error).message;
    parts.log.warn({ alias: job.alias, reason }, "the hold of an OCR job must wait");
    await parts.store.postpone(job, later(parts.now(), retryMs)).catch(() => {});
  }
}

/** Ends the hold of a job whose time is over. Throws where the job must be read again. */
async function end(parts: JobParts, job: OcrJob): Promise<void> {
  const { runtime, log, now } = parts;
  const { accountId, keyId, alias, requestId, plan } = job;
  const caller = create(CallerSchema, { requestId, accountId, keyId, plan, models: [alias] });
  try {
    const model = runtime.engine.resolve(alias, "ocr", caller);
    const signal = AbortSignal.timeout(readTimeoutMs);
    const { state } = await readAndSettle(parts, { job, model, caller }, signal);
    if (state !== "running") return;
  } catch (error) {
    if (now() < later(job.holdUntil, graceMs)) throw error;
  }
  log.info({ request_id: requestId, alias }, "the hold of an OCR job is released");
  await release(parts, job);
}

async function release({ runtime, store }: JobParts, job: JobWithHold): Promise<void> {
  if (job.holdId !== null) await runtime.engine.jobHolds.release(job.holdId);
  await store.markReleased(job);
}

function later(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}
