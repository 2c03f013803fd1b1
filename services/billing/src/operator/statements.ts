import { create } from "@bufbuild/protobuf";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import type { ListStatementsRequest, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { BillingProfileSchema } from "@tollgate/proto/tollgate/v1/statement";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf, requireAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import { statementCsv } from "../csv/statement-csv.ts";
import { Prisma } from "../generated/client.ts";
import { accountNameColumn, findPage, having, inOrderOf, searching } from "../row-page.ts";
import { issueStatements } from "../statements/issue-statements.ts";
import { readStatement } from "../statements/stored-statements.ts";
import { pageSize } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxLengths = { name: 200, address: 1_000, taxId: 100 };

/** The operator's calls about statements, and to whom they are issued. */
export function implementStatements({
  prisma,
  credits,
  actor,
  statementIssuer,
  drawStatement,
  now,
}: OperatorParts) {
  return {
    listStatements: (page) => listStatements(prisma, page),
    async getStatement({ account, number, asPdf, asCsv }) {
      const accountId = await accountIdOf(prisma, account);
      const stored = await prisma.statement.findUnique({ where: { number } });
      if (stored === null || (accountId !== "" && stored.accountId !== accountId)) {
        const message = `No statement has the number ${number}.`;
        throw new GatewayError("not_found", message, { param: "number" });
      }
      const statement = readStatement(stored);
      return {
        statement,
        ...(asPdf && { pdf: await drawStatement(statement) }),
        ...(asCsv && { csv: statementCsv(statement) }),
      };
    },
    async issueStatements() {
      if (statementIssuer === undefined) {
        const message = "Statements are off: TOLLGATE_STATEMENT_ISSUER is not set.";
        throw new GatewayError("not_found", message);
      }
      const parts = { prisma, credits, issuer: statementIssuer, now };
      const { issued, problems } = await issueStatements(parts);
      return { issued, problems: problems.map(({ message }) => message) };
    },
    async getBillingProfile({ account }) {
      const { id: accountId } = await requireAccount(prisma, account);
      const profile = await prisma.billingProfile.findUnique({ where: { accountId } });
      return profile === null ? {} : { profile: create(BillingProfileSchema, profile) };
    },
    async updateBillingProfile({ account, profile }) {
      const { id: accountId } = await requireAccount(prisma, account);
      const { name = "", address = "", taxId = "" } = profile ?? {};
      const data = { name, address, taxId };
      for (const [field, value] of Object.entries(data)) {
        const most = maxLengths[field as keyof typeof maxLengths];
        if (value.length > most) throw invalidParam(field, `has at most ${most} characters`);
      }
      await prisma.$transaction(async (transaction) => {
        const where = { accountId };
        const before = await transaction.billingProfile.findUnique({ where });
        await transaction.billingProfile.upsert({
          where,
          create: { ...data, accountId },
          update: data,
        });
        await recordChange(transaction, actor, {
          action: "UpdateBillingProfile",
          ...{ subjectKind: "account", subjectId: accountId, accountId },
          before: { ...before },
          after: { ...data, accountId },
        });
      });
      return { profile: create(BillingProfileSchema, data) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

const searchedColumns = [
  ...[Prisma.sql`number::text`, Prisma.sql`to_char(month, 'YYYY-MM')`, Prisma.sql`account_id`],
  accountNameColumn,
];

async function listStatements(
  prisma: OperatorParts["prisma"],
  { account, limit, beforeNumber, search, order }: ListStatementsRequest,
) {
  const accountId = await accountIdOf(prisma, account);
  const { ids, next = 0n } = await findPage(prisma, {
    ...{ table: Prisma.sql`statement`, id: Prisma.sql`number`, order, before: beforeNumber },
    limit: pageSize(limit),
    bounds: having(Prisma.sql`account_id`, accountId),
    matches: searching(search, searchedColumns),
  });
  // A statement of a busy account has thousands of lines, which a list does not show.
  const found = await prisma.$queryRaw<{ number: bigint; document: unknown }[]>`
    SELECT number, document::jsonb #- '{sums,topUps}' #- '{sums,refunds}' #- '{sums,adjustments}'
      #- '{sums,charges}' AS document
    FROM statement WHERE number = ANY (${ids})`;
  const statements = inOrderOf(ids, found, ({ number }) => number).map(readStatement);
  return { statements, hasMore: next !== 0n, nextNumber: next };
}
