import type pg from "pg";
import type { RequestKey } from "./request-key.ts";
import { type StoredBody, storedBody, storedChunkBytes } from "./stored-body.ts";
import { createStoredQuota } from "./stored-quota.ts";

/** How long a response is replayed. */
const replayMs = 24 * 60 * 60 * 1_000;
/** How long a lease lives after its last renewal. */
export const defaultLeaseMs = 15_000;
/** How many records one statement of a sweep removes. */
const sweepLimit = 1_000;
/** How many conversations one statement returns. */
const conversationsLimit = 1_000;

/** The record of a key. */
export interface FoundRecord {
  /** Whether the record is of the same request. Any request may use a key that has expired. */
  sameRequest: boolean;
  state: "free" | "running" | "stored";
  /** The id of the request whose response is stored. */
  requestId: string;
  contentType: string;
  /** Undefined if the response was too large to store, or was deleted for newer ones. */
  body: StoredBody | undefined;
}

export interface ResponseToStore {
  contentType: string;
  body: Uint8Array | undefined;
}

/** A key, and the request id of the run that holds its lease. */
export interface HeldLease {
  key: RequestKey;
  runner: string;
}

/** The statements over `idempotency_record`. They use the database's clock, as all replicas do. */
export interface IdempotencyRecords {
  /**
   * Acquires the lease of a key for a run, if the key is new or expired, or if an earlier run of
   * the same request failed or died. Resolves with the charge id of the run; undefined if the lease
   * is not available.
   */
  acquire(key: RequestKey, runner: string): Promise<string | undefined>;
  find(key: RequestKey): Promise<FoundRecord | undefined>;
  /** Resolves with whether an idempotency key has a record that has not expired. */
  has(keyId: string, idempotencyKey: string): Promise<boolean>;
  /** Records the conversation that a run adds a turn to, for `forget`. */
  link(key: RequestKey, runner: string, conversationId: string): Promise<void>;
  /**
   * Stores a run's response. Resolves with false if the run no longer holds the lease. After
   * each share of the quota that it has stored, it deletes the bodies of the key's oldest responses
   * in the background, down to the quota.
   */
  store(key: RequestKey, runner: string, response: ResponseToStore): Promise<boolean>;
  /** Ends a lease without a response. The same request runs when it is sent again. */
  release(key: RequestKey, runner: string): Promise<void>;
  /**
   * Ends the lease of a run that was rejected and never charged. If no earlier run went further,
   * the record is deleted, and any request may use the key.
   */
  drop(key: RequestKey, runner: string): Promise<void>;
  /** Yields the ids of the conversations in a key's records, in order and in pages. */
  conversationsOf(keyId: string): AsyncIterable<string[]>;
  /**
   * Deletes the stored responses that are turns of these conversations of a key, or of all of them,
   * and ends the leases of their runs, so that nothing is replayed or stored for a deleted
   * conversation. The next request with one of the idempotency keys runs under the same charge id.
   */
  forget(keyId: string, conversationIds?: readonly string[]): Promise<void>;
  renew(leases: readonly HeldLease[]): Promise<void>;
  /** Removes all expired records. Resolves with their number. */
  sweep(): Promise<number>;
}

export interface RecordsOptions {
  /** How long a lease lives after its last renewal. */
  leaseMs?: number;
  /** How much the stored responses of one key may take, in bytes. */
  quotaBytes: number;
}

/**
 * Creates the statements.
 *
 * Longer than 70 lines: it has a short function for each statement of one pool.
 */
export function createRecords(
  pool: pg.Pool,
  { leaseMs = defaultLeaseMs, quotaBytes }: RecordsOptions,
): IdempotencyRecords {
  const quota = createStoredQuota(pool, quotaBytes);
  const statement = (name: string, text: string, values: unknown[]) =>
    pool.query({ name, text, values });
  return {
    async acquire({ keyId, idempotencyKey, fingerprint }, runner) {
      const values = [keyId, idempotencyKey, fingerprint, runner, leaseMs, replayMs];
      const { rows } = await pool.query<{ charge_id: string }>({
        name: "acquire",
        text: acquireSql,
        values,
      });
      return rows[0]?.charge_id;
    },
    async find(key) {
      const values = [key.keyId, key.idempotencyKey, key.fingerprint, storedChunkBytes];
      const { rows } = await pool.query<FoundRow>({ name: "find", text: findSql, values });
      return rows[0] && toRecord(pool, key, rows[0]);
    },
    async has(keyId, idempotencyKey) {
      const { rowCount } = await statement("has", hasSql, [keyId, idempotencyKey]);
      return rowCount === 1;
    },
    async link({ keyId, idempotencyKey }, runner, conversationId) {
      await statement("link", linkSql, [keyId, idempotencyKey, runner, conversationId]);
    },
    async store({ keyId, idempotencyKey }, runner, { contentType, body }) {
      const stored = body !== undefined && body.byteLength <= quotaBytes ? body : null;
      const values = [keyId, idempotencyKey, runner, contentType, stored, replayMs];
      const { rowCount } = await statement("store", storeSql, values);
      if (rowCount !== 1) return false;
      quota.noteStored(keyId, stored?.byteLength ?? 0);
      return true;
    },
    async release({ keyId, idempotencyKey }, runner) {
      await statement("release", releaseSql, [keyId, idempotencyKey, runner]);
    },
    async drop({ keyId, idempotencyKey }, runner) {
      const values = [keyId, idempotencyKey, runner];
      const { rowCount } = await statement("drop", dropSql, values);
      if (rowCount === 0) await statement("release", releaseSql, values);
    },
    async *conversationsOf(keyId) {
      let last = "";
      for (let found = conversationsLimit; found === conversationsLimit; ) {
        const { rows } = await pool.query<{ conversation_id: string }>({
          name: "conversations",
          text: conversationsSql,
          values: [keyId, last, conversationsLimit],
        });
        const ids = rows.map(({ conversation_id: id }) => id);
        yield ids;
        last = ids.at(-1) ?? "";
        found = ids.length;
      }
    },
    async forget(keyId, conversationIds) {
      await statement("forget", forgetSql, [keyId, conversationIds ?? null]);
    },
    async renew(leases) {
      const keyIds = leases.map(({ key }) => key.keyId);
      const keys = leases.map(({ key }) => key.idempotencyKey);
      const runners = leases.map(({ runner }) => runner);
      await statement("renew", renewSql, [keyIds, keys, runners, leaseMs]);
    },
    async sweep() {
      let total = 0;
      for (let removed = sweepLimit; removed === sweepLimit; total += removed) {
        const { rowCount } = await statement("sweep", sweepSql, [sweepLimit]);
        removed = rowCount ?? 0;
      }
      return total;
    },
  };
}

interface FoundRow {
  same_request: boolean;
  state: FoundRecord["state"];
  runner: string;
  content_type: string | null;
  first_chunk: Buffer | null;
  bytes: number | null;
}

function toRecord(pool: pg.Pool, key: RequestKey, row: FoundRow): FoundRecord {
  const { runner, first_chunk: firstChunk, bytes } = row;
  return {
    sameRequest: row.same_request,
    state: row.state,
    requestId: runner,
    contentType: row.content_type ?? "",
    body:
      firstChunk === null || bytes === null
        ? undefined
        : storedBody(pool, key, runner, { firstChunk, bytes }),
  };
}

const acquireSql = `
  INSERT INTO idempotency_record AS record
    (key_id, idempotency_key, fingerprint, charge_id, runner, lease_until, expires_at)
  VALUES ($1, $2, $3, $4, $4,
    now() + $5 * interval '1 millisecond', now() + $6 * interval '1 millisecond')
  ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
    fingerprint = excluded.fingerprint,
    charge_id = CASE
      WHEN record.expires_at > now() THEN record.charge_id ELSE excluded.charge_id END,
    runner = excluded.runner,
    lease_until = excluded.lease_until,
    expires_at = excluded.expires_at,
    stored_at = NULL, content_type = NULL, body = NULL, stored_bytes = NULL,
    conversation_id = NULL
  WHERE record.expires_at <= now()
    OR (record.fingerprint = excluded.fingerprint
      AND record.stored_at IS NULL AND record.lease_until <= now())
  RETURNING charge_id`;

const findSql = `
  SELECT fingerprint = $3 OR expires_at <= now() AS same_request, runner, content_type,
    substring(body FOR $4) AS first_chunk, octet_length(body) AS bytes,
    CASE
      WHEN expires_at <= now() THEN 'free'
      WHEN stored_at IS NOT NULL THEN 'stored'
      WHEN lease_until <= now() THEN 'free'
      ELSE 'running'
    END AS state
  FROM idempotency_record WHERE key_id = $1 AND idempotency_key = $2`;

const hasSql = `
  SELECT FROM idempotency_record
  WHERE key_id = $1 AND idempotency_key = $2 AND expires_at > now()`;

const linkSql = `
  UPDATE idempotency_record SET conversation_id = $4
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND stored_at IS NULL`;

const storeSql = `
  UPDATE idempotency_record SET
    stored_at = now(), content_type = $4, body = $5::bytea, stored_bytes = octet_length($5::bytea),
    expires_at = now() + $6 * interval '1 millisecond'
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND stored_at IS NULL`;

const releaseSql = `
  UPDATE idempotency_record SET lease_until = now()
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND stored_at IS NULL`;

const dropSql = `
  DELETE FROM idempotency_record
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND charge_id = $3
    AND stored_at IS NULL`;

const conversationsSql = `
  SELECT DISTINCT conversation_id FROM idempotency_record
  WHERE key_id = $1 AND conversation_id > $2 ORDER BY conversation_id LIMIT $3`;

/** Statements that lock several rows lock them in this order, to avoid deadlocks. */
const inLockOrder = "ORDER BY record.key_id, record.idempotency_key FOR UPDATE OF record";

const forgetSql = `
  WITH own AS (
    SELECT key_id, idempotency_key FROM idempotency_record AS record
    WHERE key_id = $1 AND conversation_id IS NOT NULL
      AND ($2::text[] IS NULL OR conversation_id = ANY ($2))
    ${inLockOrder}
  )
  UPDATE idempotency_record AS record SET
    runner = '', lease_until = now(),
    stored_at = NULL, content_type = NULL, body = NULL, stored_bytes = NULL,
    conversation_id = NULL
  FROM own WHERE record.key_id = own.key_id AND record.idempotency_key = own.idempotency_key`;

const renewSql = `
  WITH own AS (
    SELECT record.key_id, record.idempotency_key
    FROM unnest($1::text[], $2::text[], $3::text[]) AS held (key_id, idempotency_key, runner)
    JOIN idempotency_record AS record USING (key_id, idempotency_key, runner)
    WHERE record.stored_at IS NULL
    ${inLockOrder}
  )
  UPDATE idempotency_record AS record SET lease_until = now() + $4 * interval '1 millisecond'
  FROM own WHERE record.key_id = own.key_id AND record.idempotency_key = own.idempotency_key`;

const sweepSql = `
  DELETE FROM idempotency_record WHERE (key_id, idempotency_key) IN (
    SELECT key_id, idempotency_key FROM idempotency_record
    WHERE expires_at <= now() AND (stored_at IS NOT NULL OR lease_until <= now())
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`;
