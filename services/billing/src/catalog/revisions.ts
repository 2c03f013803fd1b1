import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GatewayError } from "@tollgate/core/errors";
import type { CatalogRevisionSchema } from "@tollgate/proto/tollgate/v1/catalog";
import type { AuditActor } from "../audit.ts";
import { Prisma, type PrismaClient } from "../generated/client.ts";
import { findPage, inOrderOf, type RowPage, searching } from "../row-page.ts";

/** A revision as it is stored, without its text. */
const summary = {
  revision: true,
  models: true,
  providers: true,
  publishedAt: true,
  authorKind: true,
  authorId: true,
  authorName: true,
  reason: true,
  restoresRevision: true,
} as const;

type Summary = Prisma.CatalogRevisionGetPayload<{ select: typeof summary }>;
type Database = Prisma.TransactionClient;

/** Resolves with the number of the newest revision; 0 where none was published. */
export async function newestRevision(database: Database): Promise<bigint> {
  const { _max } = await database.catalogRevision.aggregate({ _max: { revision: true } });
  return _max.revision ?? 0n;
}

/** Resolves with a page of revisions, and the one after which the next page begins, as `findPage`. */
export async function pageRevisions(
  prisma: PrismaClient,
  { search, ...page }: Pick<RowPage<bigint>, "limit" | "before" | "order"> & { search: string },
): Promise<{ revisions: Summary[]; next: bigint | undefined }> {
  const { ids, next } = await findPage(prisma, {
    ...{ ...page, table: Prisma.sql`catalog_revision`, id: Prisma.sql`revision`, bounds: [] },
    matches: searching(search, searchedColumns),
  });
  const where = { revision: { in: ids } };
  const found = await prisma.catalogRevision.findMany({ select: summary, where });
  return { revisions: inOrderOf(ids, found, ({ revision }) => revision), next };
}

const searchedColumns = [
  ...[Prisma.sql`revision::text`, Prisma.sql`reason`, Prisma.sql`author_name`],
  Prisma.sql`author_id`,
];

/** Resolves with revisions before and after others, newest first. `before` is 0 for the newest. */
export async function listRevisions(
  database: Database,
  { before, after = 0n, take }: { before: bigint; after?: bigint; take: number },
): Promise<Summary[]> {
  return database.catalogRevision.findMany({
    select: summary,
    where: { revision: { gt: after, ...(before === 0n ? {} : { lt: before }) } },
    orderBy: { revision: "desc" },
    take,
  });
}

/** Resolves with a revision and its text. Throws `not_found` for a number that was not published. */
export async function requireRevision(
  database: Database,
  revision: bigint,
): Promise<Summary & { text: string }> {
  const found = await database.catalogRevision.findUnique({
    select: { ...summary, text: true },
    where: { revision },
  });
  if (found !== null) return found;
  const message = `There is no revision ${revision} of the catalog.`;
  throw new GatewayError("not_found", message, { param: "revision" });
}

/** Resolves with the text of a revision; that of 0, the empty catalog, is empty. */
export async function textOfRevision(database: Database, revision: bigint): Promise<string> {
  return revision === 0n ? "" : (await requireRevision(database, revision)).text;
}

export interface NewRevision {
  revision: bigint;
  text: string;
  models: number;
  providers: number;
  reason: string;
  restoresRevision?: bigint | undefined;
}

/** Stores a revision. Throws where its number is taken. */
export async function insertRevision(
  database: Database,
  { kind, id, name }: AuditActor,
  { restoresRevision, ...revision }: NewRevision,
): Promise<Summary> {
  return database.catalogRevision.create({
    select: summary,
    data: {
      ...revision,
      ...{ authorKind: kind, authorId: id, authorName: name },
      restoresRevision: restoresRevision ?? null,
    },
  });
}

/** Returns a revision as a message. */
export function toRevision({
  publishedAt,
  restoresRevision,
  ...revision
}: Summary): MessageInitShape<typeof CatalogRevisionSchema> {
  return {
    ...revision,
    publishedAt: timestampFromDate(publishedAt),
    restoresRevision: restoresRevision ?? 0n,
  };
}
