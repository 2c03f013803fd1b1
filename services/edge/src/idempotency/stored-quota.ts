import type pg from "pg";

/**
 * A process trims a key after each share of the quota that it has stored for it. The responses of a
 * key can therefore exceed its quota by one share for each replica, and for each restart of one
 * within a day.
 */
const sharesOfQuota = 16;
/** For so many keys a process remembers what it has stored. It forgets the oldest beyond. */
const maxKeys = 10_000;

/** Keeps the stored responses of each key within a quota. */
export interface StoredQuota {
  /** Notes that a response was stored. Trims the key in the background when a share is full. */
  noteStored(keyId: string, bytes: number): void;
}

/** Creates the quota: `quotaBytes` for the stored responses of one API key. */
export function createStoredQuota(pool: pg.Pool, quotaBytes: number): StoredQuota {
  const shareBytes = quotaBytes / sharesOfQuota;
  /** What was stored for each key since it was last trimmed. */
  const untrimmed = new Map<string, number>();

  async function trim(keyId: string, bytes: number): Promise<void> {
    untrimmed.delete(keyId);
    try {
      await pool.query({ name: "trim", text: trimSql, values: [keyId, quotaBytes] });
    } catch {
      // The next response that is stored for the key tries again.
      untrimmed.set(keyId, (untrimmed.get(keyId) ?? 0) + bytes);
    }
  }

  return {
    noteStored(keyId, bytes) {
      const total = (untrimmed.get(keyId) ?? 0) + bytes;
      untrimmed.delete(keyId);
      if (total >= shareBytes) return void trim(keyId, total);
      if (total > 0) untrimmed.set(keyId, total);
      const [oldest] = untrimmed.size > maxKeys ? untrimmed.keys() : [];
      if (oldest !== undefined) untrimmed.delete(oldest);
    },
  };
}

/**
 * Deletes the bodies of the oldest responses beyond the quota. Reads the sizes from the index
 * `idempotency_record_stored` alone. A record that is locked is being changed, and is left out.
 */
const trimSql = `
  WITH sized AS (
    SELECT key_id, idempotency_key,
      sum(stored_bytes) OVER (ORDER BY stored_at DESC, idempotency_key) AS total
    FROM idempotency_record WHERE key_id = $1 AND stored_bytes IS NOT NULL
  ), oldest AS (
    SELECT record.key_id, record.idempotency_key
    FROM sized JOIN idempotency_record AS record USING (key_id, idempotency_key)
    WHERE sized.total > $2
    ORDER BY record.key_id, record.idempotency_key FOR UPDATE OF record SKIP LOCKED
  )
  UPDATE idempotency_record AS record SET body = NULL, stored_bytes = NULL
  FROM oldest
  WHERE record.key_id = oldest.key_id AND record.idempotency_key = oldest.idempotency_key`;
