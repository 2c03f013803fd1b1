import type { Log } from "@tollgate/kit/log";
import type { Client } from "@tollgate/kit/rpc/implementation";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type pg from "pg";
import type { ConversationKey } from "./conversation-key.ts";

const retryEveryMs = 5_000;
const batchLimit = 500;

/** Deletes conversations: their content at once, their links in the ledger as soon as it can be. */
export interface Deletion {
  /** False when the id was never the key's. */
  deleteOne(key: ConversationKey): Promise<boolean>;
  deleteAll(keyId: string): Promise<void>;
  stop(): Promise<void>;
}

export function createDeletion(
  pool: pg.Pool,
  ledger: Client<typeof LedgerService>,
  log: Log,
): Deletion {
  let work: Promise<void> = Promise.resolve();

  /** Every replica may run it at once: unlinking again changes nothing. */
  async function unlinkPending(): Promise<void> {
    try {
      const { rows } = await pool.query<{ account_id: string; links: string[] }>(pendingSql, [
        batchLimit,
      ]);
      for (const { account_id: accountId, links } of rows) {
        await ledger.unlinkConversations({ accountId, conversationIds: links });
        await pool.query("DELETE FROM pending_unlink WHERE link = ANY ($1)", [links]);
      }
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "entries not unlinked yet");
    }
  }

  function unlinkSoon(): Promise<void> {
    work = work.then(unlinkPending);
    return work;
  }

  const retry = setInterval(() => void unlinkSoon(), retryEveryMs);
  retry.unref();

  return {
    async deleteOne({ keyId, id }) {
      const { rows } = await pool.query<{ was_live: boolean }>(deleteOneSql, [keyId, id]);
      if (rows[0]?.was_live) await unlinkSoon();
      return rows.length === 1;
    },
    async deleteAll(keyId) {
      await pool.query(deleteAllSql, [keyId]);
      await unlinkSoon();
    },
    async stop() {
      clearInterval(retry);
      await work;
    },
  };
}

/** The row stays as a tombstone, without content; the turns go. */
const tombstone = `
  UPDATE conversation SET deleted_at = now(), model = '', turn_count = 0, context_tokens = 0,
    text_bytes = 0, text_characters = 0, messages = 0, image_parts = 0`;

const removal = `
  removed AS (
    DELETE FROM turn USING gone
    WHERE turn.key_id = gone.key_id AND turn.conversation_id = gone.id
  ), unlinked AS (
    INSERT INTO pending_unlink (link, account_id)
    SELECT key_id || '/' || id, account_id FROM gone ON CONFLICT DO NOTHING
  )`;

const deleteOneSql = `
  WITH gone AS (
    ${tombstone} WHERE key_id = $1 AND id = $2 AND deleted_at IS NULL
    RETURNING key_id, id, account_id
  ), ${removal}
  SELECT EXISTS (SELECT FROM gone) AS was_live FROM conversation WHERE key_id = $1 AND id = $2`;

const deleteAllSql = `
  WITH gone AS (
    ${tombstone} WHERE key_id = $1 AND deleted_at IS NULL RETURNING key_id, id, account_id
  ), ${removal}
  SELECT count(*) FROM gone`;

const pendingSql = `
  SELECT account_id, array_agg(link) AS links FROM (
    SELECT account_id, link FROM pending_unlink ORDER BY created_at LIMIT $1
  ) pending GROUP BY account_id`;
