import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf } from "../accounts.ts";
import { type AuditRecord, Prisma } from "../generated/client.ts";
import { findPage, having, inOrderOf, searching } from "../row-page.ts";
import { pageSize } from "./account-messages.ts";
import { nameIds } from "./names.ts";
import type { OperatorParts } from "./parts.ts";

/** The operator's call about the changes that operators made. */
export function implementAudit({ prisma }: OperatorParts) {
  return {
    async listAudit({ account, limit, beforeId, search, order }) {
      const accountId = await accountIdOf(prisma, account);
      const { ids, next = "" } = await findPage(prisma, {
        ...{ table: Prisma.sql`audit_record`, id: Prisma.sql`id`, order, before: beforeId },
        limit: pageSize(limit),
        bounds: having(Prisma.sql`account_id`, accountId),
        matches: searching(search, searchedColumns),
      });
      const found = await prisma.auditRecord.findMany({ where: { id: { in: ids } } });
      const records = inOrderOf(ids, found, ({ id }) => id);
      const [members, names] = await Promise.all([
        memberNames(prisma, records),
        nameSubjects(prisma, records),
      ]);
      return {
        records: records.map((record) => toRecord(record, members)),
        ...{ hasMore: next !== "", nextId: next, names },
      };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** The name of the member who made a change, which the log does not store. */
const memberNameColumn = Prisma.sql`(SELECT name FROM operator
  WHERE operator.id = actor_id AND actor_kind = 'member')`;

const searchedColumns = [
  ...[Prisma.sql`action`, Prisma.sql`subject_kind`, Prisma.sql`subject_id`],
  ...[Prisma.sql`actor_kind`, Prisma.sql`actor_id`, Prisma.sql`actor_name`, memberNameColumn],
];

/** Resolves with the names of the subjects of changes, and of their accounts, by their ids. */
async function nameSubjects(
  prisma: OperatorParts["prisma"],
  records: readonly AuditRecord[],
): Promise<Record<string, string>> {
  const idsOf = (...kinds: string[]) =>
    records.flatMap(({ subjectKind, subjectId }) =>
      kinds.includes(subjectKind) ? [subjectId] : [],
    );
  const named = (ids: string[]) => ({
    where: { id: { in: ids } },
    select: { id: true, name: true },
  });
  const [rows, ...others] = await Promise.all([
    nameIds(prisma, {
      keyIds: idsOf("key"),
      accountIds: [...idsOf("account", "wallet"), ...records.map(({ accountId }) => accountId)],
    }),
    prisma.operator.findMany(named(idsOf("operator", "member"))),
    prisma.operatorToken.findMany(named(idsOf("token"))),
    prisma.creditCodeBatch.findMany(named(idsOf("code"))),
  ]);
  return { ...rows, ...Object.fromEntries(others.flat().map(({ id, name }) => [id, name])) };
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
