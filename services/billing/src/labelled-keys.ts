import { invalidParam } from "@tollgate/core/errors";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { Prisma, type PrismaClient } from "./generated/client.ts";

/** How many labels one call of the ledger has: some 3 MB. */
const maxLabels = 40_000;

export interface LabelQuery {
  /** Empty: every account. */
  accountId: string;
}

/** What the keys of requests must be labelled with. */
export interface LabelFilter extends LabelQuery {
  /** Empty: any, or none. */
  tag: string;
  owner: string;
  /** What requests must not have: of tags and owners, their keys. */
  without: readonly UsageBy[];
}

/** What keys are labelled with: the owner of a key is the member who created it, where none is named. */
const labels = {
  [UsageBy.TAG]: Prisma.sql`SELECT key.id, key.account_id, unnest(key.tags) AS label FROM api_key key`,
  [UsageBy.OWNER]: Prisma.sql`
    SELECT key.id, key.account_id, coalesce(nullif(key.owner, ''), member.name) AS label
    FROM api_key key LEFT JOIN operator member ON member.id = key.member_id`,
} as const;

type Label = keyof typeof labels;

/**
 * Resolves with the tags and owners of keys by which usage is summed. Throws `invalid_param` where they are
 * too many.
 */
export async function readKeyLabels(
  prisma: PrismaClient,
  { accountId }: LabelQuery,
  by: readonly UsageBy[],
  param = "by",
): Promise<{ keyId: string; by: UsageBy; label: string }[]> {
  const wanted = [...new Set(by)].filter(isLabel);
  const found = await Promise.all(
    wanted.map(async (one) => {
      const rows = await prisma.$queryRaw<{ id: string; label: string }[]>`
        SELECT id, label FROM (${labels[one]}) labelled
        WHERE label IS NOT NULL AND (${accountId} = '' OR account_id = ${accountId})
        LIMIT ${maxLabels + 1}`;
      if (rows.length > maxLabels) {
        throw invalidParam(param, "needs an account: the keys of all have too many tags or owners");
      }
      return rows.map(({ id, label }) => ({ keyId: id, by: one, label }));
    }),
  );
  return found.flat();
}

/**
 * Resolves with the keys to which a filter restricts usage: those with its tag and its owner; and the keys that it
 * excludes, because they have a tag or an owner where usage must be without one. Undefined where there is no such
 * restriction. Throws `invalid_param` where too many keys are excluded.
 */
export async function findLabelledKeys(
  prisma: PrismaClient,
  filter: LabelFilter,
): Promise<{ keys?: { ids: string[] }; excludedKeys?: { ids: string[] } }> {
  const [keys, excludedKeys] = await Promise.all([
    findKeysWith(prisma, filter),
    findKeysWithAny(prisma, filter),
  ]);
  return { ...(keys && { keys }), ...(excludedKeys && { excludedKeys }) };
}

async function findKeysWithAny(
  prisma: PrismaClient,
  { accountId, without }: LabelFilter,
): Promise<{ ids: string[] } | undefined> {
  if (!without.some(isLabel)) return undefined;
  const found = await readKeyLabels(prisma, { accountId }, without, "without");
  return { ids: [...new Set(found.map(({ keyId }) => keyId))] };
}

async function findKeysWith(
  prisma: PrismaClient,
  { accountId, tag, owner }: LabelFilter,
): Promise<{ ids: string[] } | undefined> {
  const sets = await Promise.all(
    (
      [
        [UsageBy.TAG, tag],
        [UsageBy.OWNER, owner],
      ] as const
    )
      .filter(([, label]) => label !== "")
      .map(([by, label]) => keysWith(prisma, accountId, by, label)),
  );
  const [first, ...others] = sets;
  if (first === undefined) return undefined;
  return { ids: first.filter((id) => others.every((ids) => ids.includes(id))) };
}

async function keysWith(
  prisma: PrismaClient,
  accountId: string,
  by: Label,
  label: string,
): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT id FROM (${labels[by]}) labelled
    WHERE label = ${label} AND (${accountId} = '' OR account_id = ${accountId})
    LIMIT ${maxLabels}`;
  return rows.map(({ id }) => id);
}

function isLabel(by: UsageBy): by is Label {
  return by === UsageBy.TAG || by === UsageBy.OWNER;
}
