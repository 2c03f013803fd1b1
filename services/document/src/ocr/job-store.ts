import type pg from "pg";
import type { OcrJob, PrismaClient } from "../generated/client.ts";

type JobKey = Pick<OcrJob, "accountId" | "alias" | "jobId" | "slotId">;

/** A job and its hold. */
export type JobWithHold = JobKey & Pick<OcrJob, "keyId" | "holdId" | "holdNanoUsd" | "holdUntil">;

/** A job as its creation records it. */
export type CreatedJob = JobWithHold &
  Pick<
    OcrJob,
    "keyName" | "fileParts" | "pages" | "requestId" | "clientRequestId" | "nextAt" | "plan"
  >;

/** The jobs of this service's database. Time is that of the caller. */
export class JobStore {
  readonly #prisma: PrismaClient;
  readonly #pool: pg.Pool;

  constructor(prisma: PrismaClient, pool: pg.Pool) {
    this.#prisma = prisma;
    this.#pool = pool;
  }

  /**
   * Records a job. A provider may return one that it created before: it keeps its record and its hold,
   * but where it has none and is not metered, the new hold is its hold. Resolves with whether it is.
   */
  async record(job: CreatedJob): Promise<boolean> {
    const { rowCount } = await this.#pool.query(recordSql, [
      job.alias,
      job.jobId,
      job.accountId,
      job.keyId,
      job.slotId,
      job.keyName,
      job.fileParts,
      job.pages,
      job.requestId,
      job.holdId,
      job.holdNanoUsd,
      job.holdUntil,
      job.nextAt,
      job.plan,
      job.clientRequestId,
    ]);
    return rowCount === 1;
  }

  /** Resolves with a job of an account. Jobs of two slots may have the same id: with the latest. */
  find(of: Pick<OcrJob, "accountId" | "alias" | "jobId">): Promise<OcrJob | null> {
    return this.#prisma.ocrJob.findFirst({ where: of, orderBy: { createdAt: "desc" } });
  }

  /** Records that the ledger keeps the hold of a job until its time is over. */
  async markKept(job: JobWithHold): Promise<void> {
    const data = { isKept: true, nextAt: job.holdUntil };
    await this.#prisma.ocrJob.updateMany({ where: withHold(job), data });
  }

  /** Records that a job is metered. Its hold needs nothing more, unless it has another one by now. */
  async markMetered(job: OcrJob, meteredAt: Date): Promise<void> {
    await this.#prisma.ocrJob.updateMany({ where: keyOf(job), data: { meteredAt } });
    await this.#prisma.ocrJob.updateMany({ where: withHold(job), data: { nextAt: null } });
  }

  /** Records that a job has no hold any more. */
  async markReleased(job: JobWithHold): Promise<void> {
    const data = { holdId: null, nextAt: null };
    await this.#prisma.ocrJob.updateMany({ where: withHold(job), data });
  }

  /** Has the hold of a job looked after at another time. */
  async postpone(job: JobWithHold, nextAt: Date): Promise<void> {
    await this.#prisma.ocrJob.updateMany({ where: withHold(job), data: { nextAt } });
  }

  /**
   * Takes up to `limit` jobs whose holds are to be looked after at `now`, until `leaseEnd`: no other
   * replica takes them before that.
   */
  async claimDue(now: Date, leaseEnd: Date, limit: number): Promise<OcrJob[]> {
    const { rows } = await this.#pool.query<OcrJob>(claimSql, [now, leaseEnd, limit]);
    return rows;
  }
}

function keyOf({ accountId, alias, jobId, slotId }: JobKey) {
  return { accountId, alias, jobId, slotId };
}

/** Matches a job while it has the hold that it had. */
function withHold(job: JobWithHold) {
  return { ...keyOf(job), holdId: job.holdId };
}

const recordSql = `
  INSERT INTO ocr_job AS job (alias, job_id, account_id, key_id, slot_id, key_name, file_parts,
    pages, request_id, hold_id, hold_nano_usd, hold_until, next_at, plan, client_request_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
  ON CONFLICT (account_id, alias, job_id, slot_id) DO UPDATE SET
    key_id = excluded.key_id, key_name = excluded.key_name, request_id = excluded.request_id,
    client_request_id = excluded.client_request_id, hold_id = excluded.hold_id,
    hold_nano_usd = excluded.hold_nano_usd, hold_until = excluded.hold_until, is_kept = false,
    next_at = excluded.next_at, plan = excluded.plan
  WHERE job.hold_id IS NULL AND job.metered_at IS NULL`;

const claimSql = `
  UPDATE ocr_job SET next_at = $2
  FROM (
    SELECT account_id, alias, job_id, slot_id FROM ocr_job
    WHERE next_at <= $1 AND hold_id IS NOT NULL ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE (ocr_job.account_id, ocr_job.alias, ocr_job.job_id, ocr_job.slot_id)
    = (due.account_id, due.alias, due.job_id, due.slot_id)
  RETURNING ocr_job.alias, ocr_job.job_id AS "jobId", ocr_job.account_id AS "accountId",
    key_id AS "keyId", ocr_job.slot_id AS "slotId", key_name AS "keyName", file_parts AS "fileParts",
    plan, pages,
    created_at AS "createdAt", metered_at AS "meteredAt", request_id AS "requestId", client_request_id AS "clientRequestId",
    hold_id AS "holdId", hold_nano_usd AS "holdNanoUsd", hold_until AS "holdUntil",
    is_kept AS "isKept", next_at AS "nextAt"`;
