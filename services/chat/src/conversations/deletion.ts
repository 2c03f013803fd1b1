import type { Log } from "@tollgate/core/log";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import type pg from "pg";
import type { ConversationKey } from "./conversation-key.ts";

const defaultTimes = { retryEveryMs: 5_000 };
/** So many are unlinked at a time. */
const unlinkLimit = 500;
/** For conversations of many thousand turns. What was done in it is done. */
const unlinkTimeoutMs = 60_000;
/** So many conversations are deleted in one statement, which may not take long. */
const deletionLimit = 2_000;

/**
 * Deletes conversations: their content at once, their links in the ledger as soon as it can be,
 * which nobody waits for.
 */
export interface Deletion {
  /** False when the id was never the key's. */
  deleteOne(key: ConversationKey): Promise<boolean>;
  /**
   * Deletes all that are there as it begins, some at a time: ended by the signal or by a fault, it
   * leaves the rest.
   */
  deleteAll(keyId: string, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export function createDeletion(
  pool: pg.Pool,
  ledger: Client<typeof LedgerService>,
  log: Log,
  { retryEveryMs } = defaultTimes,
): Deletion {
  let work: Promise<void> = Promise.resolve();
  let stopped = false;

  /**
   * Every replica may run it at once: unlinking again changes nothing. Answers how many it were.
   */
  async function unlinkSome(): Promise<number> {
    const { rows } = await pool.query<{ account_id: string; links: string[] }>(pendingSql, [
      unlinkLimit,
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
      while ((await unlinkSome()) === unlinkLimit && !stopped);
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "entries not unlinked yet");
    }
  }

  /** One after another; what is asked for while another waits to begin is done with that one. */
  let waiting = false;
  function unlinkSoon(): void {
    if (waiting) return;
    waiting = true;
    work = work.then(() => {
      waiting = false;
      return unlinkPending();
    });
  }

  const retry = setInterval(unlinkSoon, retryEveryMs);
  retry.unref();

  return {
    async deleteOne({ keyId, id }) {
      const { rows } = await pool.query<{ was_live: boolean }>(deleteOneSql, [keyId, id]);
      if (rows[0]?.was_live) unlinkSoon();
      return rows.length === 1;
    },
    async deleteAll(keyId, signal) {
      const { rows } = await pool.query<{ id: string }>(liveSql, [keyId]);
      for (let first = 0; first < rows.length; first += deletionLimit) {
        signal.throwIfAborted();
        const ids = rows.slice(first, first + deletionLimit).map(({ id }) => id);
        await pool.query(deleteSomeSql, [keyId, ids]);
        unlinkSoon();
      }
    },
    async stop() {
      clearInterval(retry);
      stopped = true;
      await work;
    },
  };
}

/**
 * The row stays as a tombstone, without content. Its turns are removed by the trigger
 * `deleted_conversation_has_no_turns`, also one that is added while this waits for the row.
 */
const tombstone = `
  UPDATE conversation SET deleted_at = now(), model = '', turn_count = 0, context_tokens = 0,
    text_bytes = 0, text_characters = 0, messages = 0, image_parts = 0`;

const unlinking = `
  unlinked AS (
    INSERT INTO pending_unlink (link, account_id)
    SELECT key_id || '/' || id, account_id FROM gone ON CONFLICT DO NOTHING
  )`;

const deleteOneSql = `
  WITH gone AS (
    ${tombstone} WHERE key_id = $1 AND id = $2 AND deleted_at IS NULL
    RETURNING key_id, id, account_id
  ), ${unlinking}
  SELECT EXISTS (SELECT FROM gone) AS was_live FROM conversation WHERE key_id = $1 AND id = $2`;

const liveSql = "SELECT id FROM conversation WHERE key_id = $1 AND deleted_at IS NULL";

/** It locks the rows in one order first, so that two of them do not wait for each other. */
const deleteSomeSql = `
  WITH live AS (
    SELECT id FROM conversation WHERE key_id = $1 AND id = ANY ($2) AND deleted_at IS NULL
    ORDER BY id FOR UPDATE
  ), gone AS (
    ${tombstone} FROM live WHERE key_id = $1 AND conversation.id = live.id
    RETURNING key_id, conversation.id, account_id
  ), ${unlinking}
  SELECT count(*) FROM gone`;

const unlinkedSql = `
  DELETE FROM pending_unlink WHERE link IN (
    SELECT link FROM pending_unlink WHERE link = ANY ($1) ORDER BY link FOR UPDATE)`;

const pendingSql = `
  SELECT account_id, array_agg(link) AS links FROM (
    SELECT account_id, link FROM pending_unlink ORDER BY created_at LIMIT $1
  ) pending GROUP BY account_id`;
