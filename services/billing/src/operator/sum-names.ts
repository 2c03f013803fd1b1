import { UsageBy, type UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { nameAccounts } from "../accounts.ts";
import type { OperatorParts } from "./parts.ts";

/** More than a page shows. */
const maxNamed = 1_000;

/** Resolves with the names of the first keys and accounts of sums, by their ids. */
export async function nameSums(
  prisma: OperatorParts["prisma"],
  sums: readonly UsageSum[],
  [by, thenBy]: readonly [UsageBy, UsageBy],
): Promise<Record<string, string>> {
  const idsOf = (kind: UsageBy) => {
    const ids = sums.flatMap(({ name, thenName }) => [
      ...(by === kind ? [name] : []),
      ...(thenBy === kind ? [thenName] : []),
    ]);
    return [...new Set(ids)].filter((id) => id !== "").slice(0, maxNamed);
  };
  const [keyIds, accountIds] = [idsOf(UsageBy.KEY), idsOf(UsageBy.ACCOUNT)];
  const [keys, accounts] = await Promise.all([
    keyIds.length === 0 ? [] : nameKeys(prisma, keyIds),
    accountIds.length === 0 ? [] : nameAccounts(prisma, accountIds),
  ]);
  return Object.fromEntries([...keys, ...accounts]);
}

/** A key without a name has that of its text. */
async function nameKeys(
  prisma: OperatorParts["prisma"],
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
