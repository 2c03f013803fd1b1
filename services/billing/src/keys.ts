import { GatewayError } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { shownKey } from "@tollgate/core/key-form";
import type { ApiKey, KeySecret, Prisma } from "./generated/client.ts";
import type { KeyPolicy } from "./key-policy.ts";
import { hashOfKey, newKeyText } from "./key-text.ts";

/** A key with its texts' hashes, newest first. */
export type StoredKey = ApiKey & { secrets: KeySecret[] };

export interface NewKey {
  keyId: string;
  accountId: string;
  /** The member who creates it. */
  memberId: string | null;
  channel: string;
  policy: KeyPolicy;
  isLimited: boolean;
  requestsPerMinute: bigint | null;
}

/** The channel of the keys of playgrounds, which lists of keys leave out. */
export const playgroundChannel = "playground";

/** The database, also within a transaction. */
type Database = Prisma.TransactionClient;

/** Keys that lists have, and that bounds count. */
const listed = { channel: { not: playgroundChannel } };

/** What a key is read with. */
export const withSecrets = { secrets: { orderBy: { createdAt: "desc" } } } as const;

/** Returns a new id for `createKey`. */
export function newKeyId(): string {
  return newId("key");
}

/** Creates a key. Its text is returned only here, and not stored. */
export async function createKey(
  prisma: Database,
  { keyId, policy, ...fields }: NewKey,
): Promise<{ key: string; stored: StoredKey }> {
  const key = newKeyText();
  const secrets = { create: secretOf(key) };
  const stored = await prisma.apiKey.create({
    data: { id: keyId, ...fields, ...policy, secrets },
    include: withSecrets,
  });
  return { key, stored };
}

/**
 * Throws `invalid_param` where `most` keys of an account work already. Call it in a transaction that has
 * locked the account's row.
 */
export async function requireRoomForKey(
  prisma: Database,
  accountId: string,
  most: number | undefined,
  now: Date,
): Promise<void> {
  if (most === undefined) return;
  const isLive = [{ expiresAt: null }, { expiresAt: { gt: now } }];
  const where = { ...listed, accountId, revokedAt: null, OR: isLive };
  if ((await prisma.apiKey.count({ where })) < most) return;
  const message = `The account has ${most} keys, as many as it may have: revoke one first.`;
  throw new GatewayError("invalid_param", message, { param: "account" });
}

/** Resolves with a key. Throws `not_found`. */
export async function requireKey(prisma: Database, keyId: string): Promise<StoredKey> {
  const key = await prisma.apiKey.findUnique({ where: { id: keyId }, include: withSecrets });
  if (key !== null) return key;
  throw new GatewayError("not_found", `No key has the id ${keyId}.`, { param: "key_id" });
}

/** Does the same for a key that can be changed. Throws `key_revoked` and `invalid_param`, too. */
export async function requireUsableKey(prisma: Database, keyId: string): Promise<StoredKey> {
  const key = await requireKey(prisma, keyId);
  if (key.channel === playgroundChannel) {
    const message = "The key of a playground can be revoked, but not changed.";
    throw new GatewayError("invalid_param", message, { param: "key_id" });
  }
  if (key.revokedAt === null) return key;
  throw new GatewayError("key_revoked", `The key ${keyId} is revoked, and cannot be changed.`);
}

/** Resolves with the key one of whose texts has the SHA-256, also one that was replaced. Throws `not_found`. */
export async function requireKeyOfHash(prisma: Database, keyHash: Uint8Array): Promise<StoredKey> {
  const where = { keyHash: new Uint8Array(keyHash) };
  const secret = await prisma.keySecret.findUnique({ where, select: { keyId: true } });
  if (secret !== null) return requireKey(prisma, secret.keyId);
  throw unknownText();
}

/** The error of a search for a text that no key has. It says nothing of the text. */
export function unknownText(): GatewayError {
  return new GatewayError("not_found", "No key has this text.", { param: "key_hash" });
}

/** Changes fields of a key. */
export function updateKey(
  prisma: Database,
  keyId: string,
  data: Partial<KeyPolicy & Pick<NewKey, "isLimited" | "requestsPerMinute">> &
    Pick<Prisma.ApiKeyUpdateInput, "limitCeiling">,
): Promise<StoredKey> {
  return prisma.apiKey.update({ where: { id: keyId }, data, include: withSecrets });
}

/**
 * Gives a key a new text, which is returned only here. All texts before it expire at `graceEndsAt`,
 * unless they expire earlier. Call it within a transaction.
 */
export async function rotateKey(
  prisma: Database,
  keyId: string,
  now: Date,
  graceEndsAt: Date,
): Promise<{ key: string; stored: StoredKey }> {
  const key = newKeyText();
  const later = { keyId, OR: [{ expiresAt: null }, { expiresAt: { gt: graceEndsAt } }] };
  await prisma.keySecret.updateMany({ where: later, data: { expiresAt: graceEndsAt } });
  await prisma.keySecret.create({ data: { ...secretOf(key), keyId } });
  const stored = await prisma.apiKey.update({
    where: { id: keyId },
    data: { rotatedAt: now },
    include: withSecrets,
  });
  return { key, stored };
}

/** Returns what is stored of a key's text. */
function secretOf(key: string) {
  return { keyHash: new Uint8Array(hashOfKey(key)), shownKey: shownKey(key) };
}

/**
 * Revokes a key permanently. A second call changes nothing. Resolves with the key, whose
 * `revokedAt` is the time of the first revocation. Throws `not_found`.
 */
export async function revokeKey(prisma: Database, keyId: string, now: Date): Promise<StoredKey> {
  await prisma.apiKey.updateMany({
    where: { id: keyId, revokedAt: null },
    data: { revokedAt: now },
  });
  return requireKey(prisma, keyId);
}

/**
 * Revokes all keys of an account, or of one of its members, in one statement. Resolves with the hashes of
 * their texts.
 */
export async function revokeKeysOf(
  prisma: Database,
  { accountId, memberId = null }: { accountId: string; memberId?: string | null },
  now: Date,
): Promise<Uint8Array[]> {
  const rows = await prisma.$queryRaw<{ key_hash: Uint8Array }[]>`
    WITH revoked AS (
      UPDATE api_key SET revoked_at = ${now}
      WHERE account_id = ${accountId} AND revoked_at IS NULL
        AND (${memberId}::text IS NULL OR member_id = ${memberId})
      RETURNING id)
    SELECT key_hash FROM key_secret JOIN revoked ON revoked.id = key_secret.key_id`;
  return rows.map((row) => row.key_hash);
}
