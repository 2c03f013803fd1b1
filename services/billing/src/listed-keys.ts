import { KeyOrder } from "@tollgate/proto/tollgate/v1/operator";
import { Prisma, type PrismaClient } from "./generated/client.ts";
import { playgroundChannel, type StoredKey, withSecrets } from "./keys.ts";
import { ascending, containing, descending, type ListOrder } from "./list-query.ts";

export interface KeyListQuery {
  /** Absent: of all accounts. */
  accountId?: string;
  /** Absent: of all members. */
  memberId?: string;
  /** Empty: all keys. */
  search: string;
  order: KeyOrder;
  /** The last key of the page before. Empty: the first page. */
  beforeKeyId: string;
  limit: number;
}

/** Resolves with a page of keys, without those of playgrounds, and whether there are more. */
export async function listKeys(
  prisma: PrismaClient,
  query: KeyListQuery,
): Promise<{ keys: StoredKey[]; hasMore: boolean }> {
  const { limit } = query;
  const rows = await prisma.$queryRaw<{ id: string }[]>(pageSql(query));
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const found = await prisma.apiKey.findMany({ where: { id: { in: ids } }, include: withSecrets });
  const byId = new Map(found.map((key) => [key.id, key]));
  return { keys: ids.flatMap((id) => byId.get(id) ?? []), hasMore: rows.length > limit };
}

const orderings: Readonly<Record<KeyOrder, ListOrder>> = {
  // Ids ascend with the time of their creation.
  [KeyOrder.UNSPECIFIED]: { value: Prisma.sql`key.id`, ...descending },
  [KeyOrder.NAME]: { value: Prisma.sql`lower(key.name)`, ...ascending },
  [KeyOrder.LAST_USED]: {
    value: Prisma.sql`coalesce((SELECT max(secret.last_used_at) FROM key_secret secret
      WHERE secret.key_id = key.id), '-infinity')`,
    ...descending,
  },
};

function pageSql({ accountId, memberId, search, order, beforeKeyId, limit }: KeyListQuery) {
  const { value, after, direction } = orderings[order];
  const conditions = [
    Prisma.sql`key.channel <> ${playgroundChannel}`,
    ...(accountId === undefined ? [] : [Prisma.sql`key.account_id = ${accountId}`]),
    ...(memberId === undefined ? [] : [Prisma.sql`key.member_id = ${memberId}`]),
    ...(search === "" ? [] : [matching(search)]),
    ...(beforeKeyId === ""
      ? []
      : [
          Prisma.sql`(${value}, key.id) ${after}
            (SELECT ${value}, key.id FROM api_key key WHERE key.id = ${beforeKeyId})`,
        ]),
  ];
  return Prisma.sql`
    SELECT key.id FROM api_key key WHERE ${Prisma.join(conditions, " AND ")}
    ORDER BY ${value} ${direction}, key.id ${direction} LIMIT ${limit + 1}`;
}

function matching(search: string): Prisma.Sql {
  const pattern = containing(search);
  return Prisma.sql`(
    key.name ILIKE ${pattern} OR key.owner ILIKE ${pattern} OR key.id ILIKE ${pattern}
    OR EXISTS (SELECT FROM unnest(key.tags) AS tag WHERE tag ILIKE ${pattern})
    OR EXISTS (SELECT FROM key_secret secret
      WHERE secret.key_id = key.id AND secret.shown_key ILIKE ${pattern}))`;
}
