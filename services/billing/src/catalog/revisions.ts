import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GatewayError } from "@tollgate/core/errors";
import type { CatalogRevisionSchema } from "@tollgate/proto/tollgate/v1/catalog";
import type { AuditActor } from "../audit.ts";
import type { Prisma } from "../generated/client.ts";

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

/** Resolves with a page of revisions, newest first. `before` is 0 for the first page. */
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
