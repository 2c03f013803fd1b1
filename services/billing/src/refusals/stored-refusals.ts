import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Log } from "@tollgate/core/log";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import { type RequestRefusal, RequestRefusalSchema } from "@tollgate/proto/tollgate/v1/refusal";
import type { PrismaClient, Refusal } from "../generated/client.ts";

const dayMs = 86_400_000;
const deletionIntervalMs = 10 * 60_000;
/** A client may give many requests the same id. */
const maxOfId = 20;

/**
 * Resolves with the records of an id, newest first: that of a request, or the client's own. An empty
 * account is any.
 */
export async function findRefusals(
  prisma: PrismaClient,
  { id, accountId }: { id: string; accountId: string },
): Promise<RequestRefusal[]> {
  if (id === "") return [];
  const found = await prisma.refusal.findMany({
    where: { OR: [{ requestId: id }, { clientRequestId: id }], ...ofAccount(accountId) },
    orderBy: { requestId: "desc" },
    take: maxOfId,
  });
  return found.map(toMessage);
}

export interface RefusalPage {
  /** Each member that is not empty must match. */
  filter: { accountId: string; keyId: string; code: string };
  limit: number;
  /** Empty: the newest. */
  beforeRequestId: string;
}

/** Resolves with a page of records, newest first. */
export async function listRefusals(
  prisma: PrismaClient,
  { filter: { accountId, keyId, code }, limit, beforeRequestId }: RefusalPage,
): Promise<{ refusals: RequestRefusal[]; hasMore: boolean }> {
  const found = await prisma.refusal.findMany({
    where: {
      ...ofAccount(accountId),
      ...(keyId === "" ? {} : { keyId }),
      ...(code === "" ? {} : { code }),
      ...(beforeRequestId === "" ? {} : { requestId: { lt: beforeRequestId } }),
    },
    orderBy: { requestId: "desc" },
    take: limit + 1,
  });
  return { refusals: found.slice(0, limit).map(toMessage), hasMore: found.length > limit };
}

/** Deletes old records every ten minutes; see `deleteOldRefusals`. */
export function repeatRefusalDeletion(
  parts: { prisma: PrismaClient; log: Log; now(): Date },
  days: number,
): Repeating {
  return repeat(() => deleteOldRefusals(parts, days), { everyMs: deletionIntervalMs });
}

/** Deletes the records that were stored more than `days` ago. A failure is logged. */
export async function deleteOldRefusals(
  { prisma, log, now }: { prisma: PrismaClient; log: Log; now(): Date },
  days: number,
): Promise<void> {
  try {
    const before = new Date(now().getTime() - days * dayMs);
    await prisma.refusal.deleteMany({ where: { recordedAt: { lt: before } } });
  } catch (error) {
    const reason = (error as Error).message;
    log.warn({ reason }, "deleting old refusals failed and will be retried");
  }
}

function ofAccount(accountId: string) {
  return accountId === "" ? {} : { accountId };
}

function toMessage({ refusedAt, recordedAt: _, ...refusal }: Refusal): RequestRefusal {
  return create(RequestRefusalSchema, { ...refusal, refusedAt: timestampFromDate(refusedAt) });
}
