import { UsageBy, type UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { nameAccounts } from "../accounts.ts";
import type { OperatorParts } from "./parts.ts";

type Database = OperatorParts["prisma"];

/** More than a page shows. */
const maxNamed = 1_000;

/** Resolves with the names of the keys and accounts of a list's rows, by their ids. */
export function nameRows(
  prisma: Database,
  rows: readonly { keyId: string; accountId: string }[],
): Promise<Record<string, string>> {
  return nameIds(prisma, {
    keyIds: rows.map(({ keyId }) => keyId),
    accountIds: rows.map(({ accountId }) => accountId),
  });
}

/** Resolves with the names of the keys and accounts of sums, by their ids. */
export function nameSums(
  prisma: Database,
  sums: readonly UsageSum[],
  [by, thenBy]: readonly [UsageBy, UsageBy],
): Promise<Record<string, string>> {
  const idsOf = (kind: UsageBy) =>
    sums.flatMap(({ name, thenName }) => [
      ...(by === kind ? [name] : []),
      ...(thenBy === kind ? [thenName] : []),
    ]);
  return nameIds(prisma, { keyIds: idsOf(UsageBy.KEY), accountIds: idsOf(UsageBy.ACCOUNT) });
}

/**
 * Resolves with the names of keys and accounts by their ids, of each kind the first 1,000. A key without a
 * name has its shown key.
 */
export async function nameIds(
  prisma: Database,
  ids: { keyIds?: readonly string[]; accountIds?: readonly string[] },
): Promise<Record<string, string>> {
  const [keyIds, accountIds] = [distinct(ids.keyIds), distinct(ids.accountIds)];
  const [keys, accounts] = await Promise.all([
    keyIds.length === 0 ? [] : nameKeys(prisma, keyIds),
    accountIds.length === 0 ? [] : nameAccounts(prisma, accountIds),
  ]);
  return Object.fromEntries([...keys, ...accounts]);
}

function distinct(ids: readonly string[] = []): string[] {
  return [...new Set(ids)].filter((id) => id !== "").slice(0, maxNamed);
}

async function nameKeys(
  prisma: Database,
  ids: readonly string[],
): Promise<[id: string, name: string][]> {
  const keys = await prisma.apiKey.findMany({
    where: { id: { in: [...ids] } },
    select: {
      ...{ id: true, name: true },
      secrets: { select: { shownKey: true }, orderBy: { createdAt: "desc" }, take: 1 },
    },
  });
  return keys.map(({ id, name, secrets }) => [id, name || (secrets[0]?.shownKey ?? "")]);
}
