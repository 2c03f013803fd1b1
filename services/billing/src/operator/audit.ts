import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount } from "../accounts.ts";
import type { AuditRecord } from "../generated/client.ts";
import { pageSize } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

/** The operator's call about the changes that operators made. */
export function implementAudit({ prisma }: OperatorParts) {
  return {
    async listAudit({ account, limit, beforeId }) {
      const take = pageSize(limit);
      const owner = account === "" ? undefined : await requireAccount(prisma, account);
      // Ids ascend with the time of their creation.
      const found = await prisma.auditRecord.findMany({
        where: {
          ...(owner && { accountId: owner.id }),
          ...(beforeId === "" ? {} : { id: { lt: beforeId } }),
        },
        orderBy: { id: "desc" },
        take: take + 1,
      });
      const records = found.slice(0, take);
      const names = await memberNames(prisma, records);
      return {
        records: records.map((record) => toRecord(record, names)),
        hasMore: found.length > take,
      };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** Resolves with the names of the members among those who made changes, by their ids. */
async function memberNames(
  prisma: OperatorParts["prisma"],
  records: readonly AuditRecord[],
): Promise<ReadonlyMap<string, string>> {
  const members = records.filter(({ actorKind }) => actorKind === "member");
  const ids = [...new Set(members.map(({ actorId }) => actorId))];
  const found = await prisma.operator.findMany({ where: { id: { in: ids } } });
  return new Map(found.map(({ id, name }) => [id, name]));
}

function toRecord(
  { at, before, after, reference: _, ...record }: AuditRecord,
  names: ReadonlyMap<string, string>,
) {
  return {
    ...record,
    actorName: names.get(record.actorId) ?? record.actorName,
    at: timestampFromDate(at),
    before: JSON.stringify(before),
    after: JSON.stringify(after),
  };
}
