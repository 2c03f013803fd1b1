import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Catalog } from "@tollgate/catalog/model";
import type { Key } from "@tollgate/proto/tollgate/v1/operator";
import type { StoredKey } from "../keys.ts";
import { findLimits, limitsEndUsers } from "../limits.ts";
import { unmatchedModels } from "../unmatched-models.ts";
import { toKey } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxEndUsers = 20;

type KeyParts = Pick<OperatorParts, "prisma" | "ledger" | "now">;

/** Resolves with keys as messages, with their limits, charges and last uses, and their members' names. */
export async function describeKeys(parts: KeyParts, keys: readonly StoredKey[]): Promise<Key[]> {
  const { prisma, ledger, now } = parts;
  const limited = keys.filter(({ isLimited }) => isLimited).map(({ id }) => id);
  const [limits, { charges }, names] = await Promise.all([
    findLimits(ledger, limited),
    ledger.sumKeyCharges({ keyIds: keys.map(({ id }) => id), from: startOfMonth(now()) }),
    nameMembers(prisma, keys),
  ]);
  return keys.map((stored) => {
    const key = toKey(stored, limits.get(stored.id));
    const lastUsedAt = lastUseOf(stored);
    if (lastUsedAt !== undefined) key.lastUsedAt = timestampFromDate(lastUsedAt);
    key.memberName = names.get(key.memberId) ?? "";
    key.monthChargedNanoUsd = charges[key.id] ?? 0n;
    return key;
  });
}

/**
 * Resolves with one key as `describeKeys` does, with the patterns of its models that match none, and the end
 * users who have spent most of it.
 */
export async function describeKey(
  parts: KeyParts & { catalog(): Catalog },
  stored: StoredKey,
): Promise<Key> {
  const [key] = await describeKeys(parts, [stored]);
  if (key === undefined) throw new Error("a key has a description");
  key.unmatchedModels = unmatchedModels(key.models, parts.catalog());
  if (limitsEndUsers(key.limits?.limits)) {
    const { uses } = await parts.ledger.listEndUsers({ keyId: key.id, limit: maxEndUsers });
    key.endUsers = uses;
  }
  return key;
}

/**
 * Resolves with a key that was just changed, as a message with its limits. It needs no more of the ledger
 * than the change itself: the response has the text of the key, which cannot be shown again.
 */
export async function describeChangedKey(
  { ledger, catalog }: Pick<OperatorParts, "ledger" | "catalog">,
  stored: StoredKey,
): Promise<Key> {
  const limits = await findLimits(ledger, stored.isLimited ? [stored.id] : []);
  const key = toKey(stored, limits.get(stored.id));
  key.unmatchedModels = unmatchedModels(key.models, catalog());
  return key;
}

function lastUseOf({ secrets }: StoredKey): Date | undefined {
  const times = secrets.flatMap(({ lastUsedAt }) => lastUsedAt ?? []);
  return times.length === 0 ? undefined : new Date(Math.max(...times.map((at) => at.getTime())));
}

async function nameMembers(
  prisma: OperatorParts["prisma"],
  keys: readonly StoredKey[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(keys.flatMap(({ memberId }) => memberId ?? []))];
  if (ids.length === 0) return new Map();
  const where = { id: { in: ids } };
  const people = await prisma.operator.findMany({ where, select: { id: true, name: true } });
  return new Map(people.map(({ id, name }) => [id, name]));
}

function startOfMonth(now: Date): Timestamp {
  return timestampFromDate(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)));
}
