import { createHash, randomBytes } from "node:crypto";
import { createBatch } from "@tollgate/core/batch";
import { GatewayError } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { KeyState } from "@tollgate/proto/tollgate/v1/billing";
import type { Admission } from "@tollgate/proto/tollgate/v1/caller";
import type pg from "pg";
import { type AdmissionName, admissions } from "./admission.ts";
import type { PrismaClient } from "./generated/client.ts";

const keyPrefix = "sk-tollgate-";
const secretBytes = 32;

/** The channels of a key; empty is an ordinary key. */
const channels: ReadonlySet<string> = new Set(["", "settlement"]);

/** Returns a new key's text: the prefix and 43 random base64url characters. */
export function newKeyText(): string {
  return keyPrefix + randomBytes(secretBytes).toString("base64url");
}

/**
 * Returns the SHA-256 of a key's text, which is stored in its place. It needs no salt: the text is
 * random and cannot be guessed.
 */
export function hashOfKey(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/**
 * Creates a key of an account. Its text is returned only here, and not stored. Throws
 * `invalid_param` for an unknown channel.
 */
export async function createKey(
  prisma: PrismaClient,
  accountId: string,
  channel: string,
): Promise<{ keyId: string; key: string; accountId: string; channel: string }> {
  if (!channels.has(channel)) {
    const message = "A key's channel is settlement or empty.";
    throw new GatewayError("invalid_param", message, { param: "channel" });
  }
  const key = newKeyText();
  const keyHash = new Uint8Array(hashOfKey(key));
  const row = await prisma.apiKey.create({
    data: { id: newId("key"), accountId, keyHash, channel },
  });
  return { keyId: row.id, key, accountId, channel };
}

const lookupLimit = 512;
/** A statement on a broken connection takes long to fail. Later lookups do not wait for it. */
const lookupTimeoutMs = 100;

export interface FoundKey {
  state: KeyState;
  keyId?: string;
  accountId?: string;
  channel?: string;
  admission?: Admission;
}

/**
 * Creates a function that finds keys by their hashes, many in one statement: lookups that arrive
 * while a statement runs go into the next one. An account without an admission policy gets
 * `admission`.
 */
export function createKeyLookup(
  pool: pg.Pool,
  admission: Admission,
): (keyHash: Uint8Array) => Promise<FoundKey> {
  return createBatch({
    run: (hashes) => findKeys(pool, hashes, admission),
    limit: lookupLimit,
    timeoutMs: lookupTimeoutMs,
    isolates: () => false,
  });
}

async function findKeys(
  pool: pg.Pool,
  hashes: readonly Uint8Array[],
  admission: Admission,
): Promise<FoundKey[]> {
  const names = hashes.map((hash) => Buffer.from(hash).toString("hex"));
  const { rows } = await pool.query<KeyRow>({
    name: "find-keys",
    text: `SELECT encode(key_hash, 'hex') AS hash, id, account_id, channel,
             revoked_at IS NOT NULL AS revoked,
             (SELECT admission FROM account WHERE account.id = api_key.account_id) AS admission
           FROM api_key
           WHERE key_hash = ANY (
             ARRAY(SELECT decode(name, 'hex') FROM unnest($1::text[]) AS name))`,
    values: [names],
  });
  const known = new Map(rows.map((row) => [row.hash, row]));
  return names.map((name) => toFoundKey(known.get(name), admission));
}

/** Resolves with those of the keys that are revoked. */
export async function findEndedKeys(
  pool: pg.Pool,
  keyHashes: readonly Uint8Array[],
): Promise<{ keyHash: Uint8Array; state: KeyState }[]> {
  const { rows } = await pool.query<{ key_hash: Uint8Array }>({
    name: "find-ended-keys",
    text: `SELECT key_hash FROM api_key
           WHERE revoked_at IS NOT NULL AND key_hash = ANY (
             ARRAY(SELECT decode(name, 'hex') FROM unnest($1::text[]) AS name))`,
    values: [keyHashes.map((hash) => Buffer.from(hash).toString("hex"))],
  });
  return rows.map((row) => ({ keyHash: row.key_hash, state: KeyState.REVOKED }));
}

function toFoundKey(row: KeyRow | undefined, admission: Admission): FoundKey {
  if (row === undefined) return { state: KeyState.UNKNOWN };
  return {
    state: row.revoked ? KeyState.REVOKED : KeyState.ACTIVE,
    keyId: row.id,
    accountId: row.account_id,
    channel: row.channel,
    admission: row.admission === "" ? admission : admissions[row.admission],
  };
}

interface KeyRow {
  hash: string;
  id: string;
  account_id: string;
  channel: string;
  revoked: boolean;
  admission: AdmissionName | "";
}

/**
 * Revokes a key permanently. A second call changes nothing. Resolves with the time of the first
 * revocation, and with the hash by which other services cache the key. Throws `not_found`.
 */
export async function revokeKey(
  prisma: PrismaClient,
  keyId: string,
  now: Date,
): Promise<{ revokedAt: Date; keyHash: Uint8Array }> {
  await prisma.apiKey.updateMany({
    where: { id: keyId, revokedAt: null },
    data: { revokedAt: now },
  });
  const row = await prisma.apiKey.findUnique({ where: { id: keyId } });
  if (row === null) {
    throw new GatewayError("not_found", `No key has the id ${keyId}.`, { param: "key_id" });
  }
  return { revokedAt: row.revokedAt ?? now, keyHash: row.keyHash };
}
