import type pg from "pg";
import { type KeptBody, keptBody, pieceBytes } from "./kept-body.ts";
import type { RequestKey } from "./request-key.ts";

/** How long an answer is replayed. */
const keptMs = 24 * 60 * 60 * 1_000;
/** How long a claim outlives a runner that no longer renews it. */
export const claimLeaseMs = 15_000;
/** A sweep removes so many in one statement. */
const sweepLimit = 1_000;
/** So many conversations are told at a time. */
const conversationsLimit = 1_000;

/** What is on record for a key. */
export interface FoundRecord {
  /** Whether the key is this request's; one that has expired is anybody's. */
  sameRequest: boolean;
  state: "free" | "running" | "answered";
  /** The run that answered. */
  requestId: string;
  contentType: string;
  /** Undefined where the answer was too large to keep. */
  body: KeptBody | undefined;
}

export interface KeptAnswer {
  contentType: string;
  body: Uint8Array | undefined;
}

/** A claim and the run that holds it. */
export interface HeldClaim {
  key: RequestKey;
  runner: string;
}

/** The statements over `idempotency_record`. Time is the database's, the same for all replicas. */
export interface IdempotencyRecords {
  /**
   * Claims the key for a run, when it is new, expired, or left by a run of the same request that
   * failed or died. Answers the charge id of the run, or undefined when the key is not to be had.
   */
  claim(key: RequestKey, runner: string): Promise<string | undefined>;
  find(key: RequestKey): Promise<FoundRecord | undefined>;
  /** Notes which conversation a run adds a turn to, for `forget`. */
  link(key: RequestKey, runner: string, conversationId: string): Promise<void>;
  /** Keeps a run's answer. False when its claim was lost to another run, or forgotten. */
  keep(key: RequestKey, runner: string, answer: KeptAnswer): Promise<boolean>;
  /** Gives a claim up without an answer: the same request runs when it comes again. */
  release(key: RequestKey, runner: string): Promise<void>;
  /**
   * The same for a run that was refused, and never charged. Where no run before it came further,
   * nothing stays on record, and the key is any request's.
   */
  drop(key: RequestKey, runner: string): Promise<void>;
  /** The conversations that a key's records are of, in the order of their ids, some at a time. */
  conversationsOf(keyId: string): AsyncIterable<string[]>;
  /**
   * Removes the answers that are turns of these conversations of a key, or of any of its own, and
   * ends the claims of runs under way: what is deleted is not replayed, nor kept any more. The next
   * request with one of their idempotency keys runs, under the same charge id.
   */
  forget(keyId: string, conversationIds?: readonly string[]): Promise<void>;
  renew(claims: readonly HeldClaim[]): Promise<void>;
  /** Removes all that has expired. Answers how many. */
  sweep(): Promise<number>;
}

/** A claim outlives a runner that no longer renews it by `leaseMs`. */
export function createRecords(pool: pg.Pool, leaseMs = claimLeaseMs): IdempotencyRecords {
  const statement = (name: string, text: string, values: unknown[]) =>
    pool.query({ name, text, values });
  return {
    async claim({ keyId, idempotencyKey, fingerprint }, runner) {
      const values = [keyId, idempotencyKey, fingerprint, runner, leaseMs, keptMs];
      const { rows } = await pool.query<{ charge_id: string }>({
        name: "claim",
        text: claimSql,
        values,
      });
      return rows[0]?.charge_id;
    },
    async find(key) {
      const values = [key.keyId, key.idempotencyKey, key.fingerprint, pieceBytes];
      const { rows } = await pool.query<FoundRow>({ name: "find", text: findSql, values });
      return rows[0] && toRecord(pool, key, rows[0]);
    },
    async link({ keyId, idempotencyKey }, runner, conversationId) {
      await statement("link", linkSql, [keyId, idempotencyKey, runner, conversationId]);
    },
    async keep({ keyId, idempotencyKey }, runner, { contentType, body }) {
      const values = [keyId, idempotencyKey, runner, contentType, body ?? null, keptMs];
      const { rowCount } = await statement("keep", keepSql, values);
      return rowCount === 1;
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
    async renew(claims) {
      const keyIds = claims.map(({ key }) => key.keyId);
      const keys = claims.map(({ key }) => key.idempotencyKey);
      const runners = claims.map(({ runner }) => runner);
      await statement("renew", renewSql, [keyIds, keys, runners, leaseMs]);
    },
    async sweep() {
      let all = 0;
      for (let removed = sweepLimit; removed === sweepLimit; all += removed) {
        const { rowCount } = await statement("sweep", sweepSql, [sweepLimit]);
        removed = rowCount ?? 0;
      }
      return all;
    },
  };
}

interface FoundRow {
  same_request: boolean;
  state: FoundRecord["state"];
  runner: string;
  content_type: string | null;
  beginning: Buffer | null;
  bytes: number | null;
}

function toRecord(pool: pg.Pool, key: RequestKey, row: FoundRow): FoundRecord {
  const { runner, beginning, bytes } = row;
  return {
    sameRequest: row.same_request,
    state: row.state,
    requestId: runner,
    contentType: row.content_type ?? "",
    body:
      beginning === null || bytes === null
        ? undefined
        : keptBody(pool, key, runner, { beginning, bytes }),
  };
}

const claimSql = `
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
    answered_at = NULL, content_type = NULL, body = NULL, conversation_id = NULL
  WHERE record.expires_at <= now()
    OR (record.fingerprint = excluded.fingerprint
      AND record.answered_at IS NULL AND record.lease_until <= now())
  RETURNING charge_id`;

const findSql = `
  SELECT fingerprint = $3 OR expires_at <= now() AS same_request, runner, content_type,
    substring(body FOR $4) AS beginning, octet_length(body) AS bytes,
    CASE
      WHEN expires_at <= now() THEN 'free'
      WHEN answered_at IS NOT NULL THEN 'answered'
      WHEN lease_until <= now() THEN 'free'
      ELSE 'running'
    END AS state
  FROM idempotency_record WHERE key_id = $1 AND idempotency_key = $2`;

const linkSql = `
  UPDATE idempotency_record SET conversation_id = $4
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND answered_at IS NULL`;

const keepSql = `
  UPDATE idempotency_record SET
    answered_at = now(), content_type = $4, body = $5,
    expires_at = now() + $6 * interval '1 millisecond'
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND answered_at IS NULL`;

const releaseSql = `
  UPDATE idempotency_record SET lease_until = now()
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND answered_at IS NULL`;

const dropSql = `
  DELETE FROM idempotency_record
  WHERE key_id = $1 AND idempotency_key = $2 AND runner = $3 AND charge_id = $3
    AND answered_at IS NULL`;

const conversationsSql = `
  SELECT DISTINCT conversation_id FROM idempotency_record
  WHERE key_id = $1 AND conversation_id > $2 ORDER BY conversation_id LIMIT $3`;

/** Statements that wait for many rows lock them in this order first, not to wait for each other. */
const inOneOrder = "ORDER BY record.key_id, record.idempotency_key FOR UPDATE OF record";

const forgetSql = `
  WITH own AS (
    SELECT key_id, idempotency_key FROM idempotency_record AS record
    WHERE key_id = $1 AND conversation_id IS NOT NULL
      AND ($2::text[] IS NULL OR conversation_id = ANY ($2))
    ${inOneOrder}
  )
  UPDATE idempotency_record AS record SET
    runner = '', lease_until = now(),
    answered_at = NULL, content_type = NULL, body = NULL, conversation_id = NULL
  FROM own WHERE record.key_id = own.key_id AND record.idempotency_key = own.idempotency_key`;

const renewSql = `
  WITH own AS (
    SELECT record.key_id, record.idempotency_key
    FROM unnest($1::text[], $2::text[], $3::text[]) AS live (key_id, idempotency_key, runner)
    JOIN idempotency_record AS record USING (key_id, idempotency_key, runner)
    WHERE record.answered_at IS NULL
    ${inOneOrder}
  )
  UPDATE idempotency_record AS record SET lease_until = now() + $4 * interval '1 millisecond'
  FROM own WHERE record.key_id = own.key_id AND record.idempotency_key = own.idempotency_key`;

const sweepSql = `
  DELETE FROM idempotency_record WHERE (key_id, idempotency_key) IN (
    SELECT key_id, idempotency_key FROM idempotency_record
    WHERE expires_at <= now() AND (answered_at IS NOT NULL OR lease_until <= now())
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`;
