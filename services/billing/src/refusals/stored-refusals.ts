import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Log } from "@tollgate/core/log";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import type { TimeOrder } from "@tollgate/proto/tollgate/v1/list";
import { type RequestRefusal, RequestRefusalSchema } from "@tollgate/proto/tollgate/v1/refusal";
import { Prisma, type PrismaClient, type Refusal } from "../generated/client.ts";
import { findPage, having, inOrderOf, searching } from "../row-page.ts";

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
  search: string;
  order: TimeOrder;
  limit: number;
  /** Empty: the first page. */
  beforeRequestId: string;
}

const searchedColumns = [
  ...[Prisma.sql`request_id`, Prisma.sql`client_request_id`, Prisma.sql`message`],
  ...[Prisma.sql`param`, Prisma.sql`route`, Prisma.sql`alias`, Prisma.sql`shown_key`],
  ...[Prisma.sql`client_address`, Prisma.sql`user_agent`],
];

/** Resolves with a page of records, and the request after which the next one begins, as `findPage`. */
export async function listRefusals(
  prisma: PrismaClient,
  { filter: { accountId, keyId, code }, search, beforeRequestId, ...page }: RefusalPage,
): Promise<{ refusals: RequestRefusal[]; next: string | undefined }> {
  const { ids, next } = await findPage(prisma, {
    ...{ ...page, before: beforeRequestId },
    ...{ table: Prisma.sql`refusal`, id: Prisma.sql`request_id` },
    bounds: [
      ...having(Prisma.sql`account_id`, accountId),
      ...having(Prisma.sql`key_id`, keyId),
      ...having(Prisma.sql`code`, code),
    ],
    matches: searching(search, searchedColumns),
  });
  const found = await prisma.refusal.findMany({ where: { requestId: { in: ids } } });
  const refusals = inOrderOf(ids, found, ({ requestId }) => requestId).map(toMessage);
  return { refusals, next };
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
