import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import type pg from "pg";
import type { ConversationKey } from "./conversation-key.ts";

const defaultTimes = { retryEveryMs: 5_000 };
/** How many conversations are unlinked per batch. */
const unlinkBatchSize = 500;
/** Long enough for conversations of many thousand turns. A timeout undoes nothing. */
const unlinkTimeoutMs = 60_000;
/** How many conversations one statement deletes, within the statement timeout. */
const deletionBatchSize = 2_000;

/**
 * Deletes conversations: their content immediately, the links of their ledger entries in the
 * background, with retries.
 */
export interface Deletion {
  /** Returns false when the key never had a conversation of this id. */
  deleteOne(key: ConversationKey): Promise<boolean>;
  /**
   * Deletes all conversations that exist when it is called, in batches. When the signal aborts or a
   * statement fails, the remaining batches are not deleted.
   */
  deleteAll(keyId: string, signal: AbortSignal): Promise<void>;
  /** Stops the retries. Resolves when the batch in progress has ended. */
  stop(): Promise<void>;
}

export function createDeletion(
  pool: pg.Pool,
  ledger: Client<typeof LedgerService>,
  log: Log,
  { retryEveryMs } = defaultTimes,
): Deletion {
  let isStopped = false;

  /**
   * Unlinks one batch and returns its size. Several replicas may do this at once: unlinking again
   * changes nothing.
   */
  async function unlinkBatch(): Promise<number> {
    const { rows } = await pool.query<{ account_id: string; links: string[] }>(pendingSql, [
      unlinkBatchSize,
    ]);
    let unlinked = 0;
    for (const { account_id: accountId, links } of rows) {
      const request = { accountId, conversationIds: links };
      await ledger.unlinkConversations(request, { timeoutMs: unlinkTimeoutMs });
      await pool.query(unlinkedSql, [links]);
      unlinked += links.length;
    }
    return unlinked;
  }

  async function unlinkPending(): Promise<void> {
    try {
      while ((await unlinkBatch()) === unlinkBatchSize && !isStopped);
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "ledger entries not unlinked yet");
    }
  }

  const unlinking = repeat(unlinkPending, { everyMs: retryEveryMs });

  return {
    async deleteOne({ keyId, id }) {
      const { rows } = await pool.query<{ was_live: boolean }>(deleteOneSql, [keyId, id]);
      if (rows[0]?.was_live) unlinking.wake();
      return rows.length === 1;
    },
    async deleteAll(keyId, signal) {
      const { rows } = await pool.query<{ id: string }>(liveSql, [keyId]);
      for (let first = 0; first < rows.length; first += deletionBatchSize) {
        signal.throwIfAborted();
        const ids = rows.slice(first, first + deletionBatchSize).map(({ id }) => id);
        await pool.query(deleteSomeSql, [keyId, ids]);
        unlinking.wake();
      }
    },
    async stop() {
      isStopped = true;
      await unlinking.stop();
    },
  };
}

/**
 * The row stays as a tombstone, without content. The trigger `deleted_conversation_has_no_turns`
 * removes its turns, including one that is added while this statement waits for the row's lock.
 */
const tombstone = `
  UPDATE conversation SET deleted_at = now(), model = '', turn_count = 0, context_tokens = 0,
    text_bytes = 0, text_characters = 0, messages = 0, image_parts = 0`;

const unlinkedRows = `
  unlinked AS (
    INSERT INTO pending_unlink (link, account_id)
    SELECT key_id || '/' || id, account_id FROM deleted ON CONFLICT DO NOTHING
  )`;

const deleteOneSql = `
  WITH deleted AS (
    ${tombstone} WHERE key_id = $1 AND id = $2 AND deleted_at IS NULL
    RETURNING key_id, id, account_id
  ), ${unlinkedRows}
  SELECT EXISTS (SELECT FROM deleted) AS was_live FROM conversation WHERE key_id = $1 AND id = $2`;

const liveSql = "SELECT id FROM conversation WHERE key_id = $1 AND deleted_at IS NULL";

/** Locks the rows in a fixed order first, so that two such statements cannot deadlock. */
const deleteSomeSql = `
  WITH live AS (
    SELECT id FROM conversation WHERE key_id = $1 AND id = ANY ($2) AND deleted_at IS NULL
    ORDER BY id FOR UPDATE
  ), deleted AS (
    ${tombstone} FROM live WHERE key_id = $1 AND conversation.id = live.id
    RETURNING key_id, conversation.id, account_id
  ), ${unlinkedRows}
  SELECT count(*) FROM deleted`;

const unlinkedSql = `
  DELETE FROM pending_unlink WHERE link IN (
    SELECT link FROM pending_unlink WHERE link = ANY ($1) ORDER BY link FOR UPDATE)`;

const pendingSql = `
  SELECT account_id, array_agg(link) AS links FROM (
    SELECT account_id, link FROM pending_unlink ORDER BY created_at LIMIT $1
  ) pending GROUP BY account_id`;
