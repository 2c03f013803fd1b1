import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createBatch } from "@tollgate/core/batch";
import { type FindKeyResponse, KeyState } from "@tollgate/proto/tollgate/v1/billing";
import type { Admission } from "@tollgate/proto/tollgate/v1/caller";
import type pg from "pg";
import { type AdmissionName, admissions } from "./admission.ts";

const lookupLimit = 512;
/** A statement on a broken connection takes long to fail. Later lookups do not wait for it. */
const lookupTimeoutMs = 100;

/** What is found of a key: its state alone where it is unknown. */
export type FoundKey = Partial<Omit<FindKeyResponse, "$typeName">> & { state: KeyState };

/**
 * Creates a function that finds keys by their hashes, many in one statement: lookups that arrive
 * while a statement runs go into the next one. An account without an admission policy gets
 * `admission`.
 */
export function createKeyLookup(
  pool: pg.Pool,
  admission: Admission,
  now: () => Date,
): (keyHash: Uint8Array) => Promise<FoundKey> {
  return createBatch({
    run: (hashes) => findKeys(pool, hashes, admission, now()),
    limit: lookupLimit,
    timeoutMs: lookupTimeoutMs,
    isolates: () => false,
  });
}

/** Resolves with those of the keys that are revoked or expired. */
export async function findEndedKeys(
  pool: pg.Pool,
  keyHashes: readonly Uint8Array[],
  now: Date,
): Promise<{ keyHash: Uint8Array; state: KeyState }[]> {
  const rows = await findRows(pool, keyHashes.map(hexOf));
  return rows.flatMap((row) => {
    const state = stateOf(row, now);
    // Requests of a frozen account that have begun run to their end.
    const isEnded = state === KeyState.REVOKED || state === KeyState.EXPIRED;
    return !isEnded ? [] : [{ keyHash: Buffer.from(row.hash, "hex"), state }];
  });
}

async function findKeys(
  pool: pg.Pool,
  hashes: readonly Uint8Array[],
  admission: Admission,
  now: Date,
): Promise<FoundKey[]> {
  const names = hashes.map(hexOf);
  const known = new Map((await findRows(pool, names)).map((row) => [row.hash, row]));
  return names.map((name) => {
    const row = known.get(name);
    return row === undefined ? { state: KeyState.UNKNOWN } : toFoundKey(row, admission, now);
  });
}

async function findRows(pool: pg.Pool, hashes: readonly string[]): Promise<KeyRow[]> {
  const { rows } = await pool.query<KeyRow>({
    name: "find-keys",
    // LATERAL … LIMIT 1: a plan made while the tables were small must not scan them later.
    text: `SELECT encode(secret.key_hash, 'hex') AS hash, key.id, key.account_id, key.channel,
             key.models, key.revoked_at IS NOT NULL AS revoked,
             least(key.expires_at, secret.expires_at) AS expires_at,
             key.is_limited OR account.is_limited AS is_limited,
             key.requests_per_minute, account.admission, account.plan,
             account.content_days IS NOT NULL AS stores_content,
             CASE WHEN account.keeps_end_users THEN '' ELSE account.end_user_salt END AS end_user_salt,
             account.frozen_at IS NOT NULL AS frozen
           FROM key_secret secret,
             LATERAL (SELECT * FROM api_key WHERE id = secret.key_id LIMIT 1) key,
             LATERAL (SELECT * FROM account WHERE id = key.account_id LIMIT 1) account
           WHERE secret.key_hash = ANY (
             ARRAY(SELECT decode(name, 'hex') FROM unnest($1::text[]) AS name))`,
    values: [hashes],
  });
  return rows;
}

function toFoundKey(row: KeyRow, admission: Admission, now: Date): FoundKey {
  return {
    state: stateOf(row, now),
    keyId: row.id,
    accountId: row.account_id,
    channel: row.channel,
    admission: row.admission === "" ? admission : admissions[row.admission],
    plan: row.plan,
    models: row.models,
    isLimited: row.is_limited,
    storesContent: row.stores_content,
    endUserSalt: row.end_user_salt,
    ...(row.requests_per_minute === null
      ? {}
      : { requestsPerMinute: Number(row.requests_per_minute) }),
    ...(row.expires_at === null ? {} : { expiresAt: timestampFromDate(row.expires_at) }),
  };
}

function stateOf({ revoked, frozen, expires_at: expiresAt }: KeyRow, now: Date): KeyState {
  if (revoked) return KeyState.REVOKED;
  if (expiresAt !== null && expiresAt <= now) return KeyState.EXPIRED;
  return frozen ? KeyState.FROZEN : KeyState.ACTIVE;
}

function hexOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex");
}

interface KeyRow {
  hash: string;
  id: string;
  account_id: string;
  channel: string;
  models: string[];
  revoked: boolean;
  frozen: boolean;
  expires_at: Date | null;
  is_limited: boolean;
  requests_per_minute: string | null;
  admission: AdmissionName | "";
  plan: string;
  stores_content: boolean;
  end_user_salt: string;
}
