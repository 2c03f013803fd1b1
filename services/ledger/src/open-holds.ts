import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { PrismaClient } from "./generated/client.ts";

export interface HoldPage {
  /** Empty: every account. */
  accountId: string;
  limit: number;
  /** Only holds taken before this one. Empty: the newest. */
  beforeHoldId: string;
}

/** Resolves with a page of the open holds, newest first. */
export async function listOpenHolds(
  prisma: PrismaClient,
  { accountId, limit, beforeHoldId }: HoldPage,
) {
  const before = beforeHoldId === "" ? null : await prisma.hold.findUnique(byId(beforeHoldId));
  const found = await prisma.hold.findMany({
    where: {
      ...(accountId === "" ? {} : { accountId }),
      ...(before && {
        OR: [
          { createdAt: { lt: before.createdAt } },
          { createdAt: before.createdAt, id: { lt: before.id } },
        ],
      }),
    },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: limit + 1,
  });
  const holds = found.slice(0, limit).map(({ createdAt, expiresAt, ...hold }) => ({
    id: hold.id,
    accountId: hold.accountId,
    keyId: hold.keyId,
    amountNanoUsd: hold.amountNanoUsd,
    isShared: hold.isShared,
    alias: hold.alias,
    jobId: hold.jobId,
    createdAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
  }));
  return { holds, hasMore: found.length > limit };
}

function byId(id: string) {
  return { where: { id } };
}
