import { GatewayError } from "@tollgate/core/errors";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { type ConversationKey, linkOf } from "../src/conversations/conversation-key.ts";
import { createDeletion, type Deletion } from "../src/conversations/deletion.ts";
import { type ConversationStore, createConversationStore } from "../src/conversations/store.ts";
import { lock, newKey, newTurn, openChatDatabase, silent } from "./chat-database.ts";

const { signal: neverAborted } = new AbortController();
const waitOptions = { timeout: 20_000 };

describe("deletion", () => {
  let pool: pg.Pool;
  let store: ConversationStore;
  let deletion: Deletion;
  const unlink = vi.fn(async (_request: { conversationIds: string[] }) => ({}));

  beforeAll(async () => {
    pool = await openChatDatabase(inject("postgresUrl"));
    store = createConversationStore(pool);
    const ledger = { unlinkConversations: unlink } as unknown as Client<typeof LedgerService>;
    deletion = createDeletion(pool, ledger, silent, { retryEveryMs: 50 });
  });

  afterAll(async () => {
    await deletion.stop();
    await pool.end();
  });

  async function begin(): Promise<ConversationKey> {
    const key = newKey();
    await lock(pool, key, "req_1");
    expect(await store.append(key, "req_1", newTurn())).toBe(true);
    return key;
  }

  /** Counts the rows with content: turns and segments. */
  async function contentsOf({ keyId, id }: ConversationKey): Promise<number> {
    const own = "WHERE key_id = $1 AND conversation_id = $2";
    const text = `SELECT FROM turn ${own} UNION ALL SELECT FROM turn_segment ${own}`;
    return (await pool.query(text, [keyId, id])).rows.length;
  }

  /**
   * Adds a turn that completes a segment, as another replica does, in a transaction that stays open
   * until the returned function is called.
   */
  async function addSlowly({ keyId, id }: ConversationKey): Promise<() => Promise<void>> {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query(
      "UPDATE conversation SET turn_count = 2 WHERE key_id = $1 AND id = $2 AND deleted_at IS NULL",
      [keyId, id],
    );
    await client.query(
      `INSERT INTO turn (key_id, conversation_id, index, messages, response, usage, model, request_id)
       VALUES ($1, $2, 63, '[]', '{}', '{}', 'm', 'req_2')`,
      [keyId, id],
    );
    return async () => {
      await client.query("COMMIT");
      client.release();
    };
  }

  async function waitsForRow(): Promise<void> {
    await vi.waitFor(async () => {
      const text = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
        AND datname = current_database()`;
      expect((await pool.query(text)).rows).toHaveLength(1);
    }, waitOptions);
  }

  test.each([
    ["one", (key: ConversationKey) => deletion.deleteOne(key)],
    ["all", (key: ConversationKey) => deletion.deleteAll(key.keyId, neverAborted)],
  ])("of %s removes also a turn that is being added", async (_, remove) => {
    const key = await begin();
    const commit = await addSlowly(key);
    const removed = remove(key);
    await waitsForRow();
    await commit();
    await removed;
    expect((await store.load(key))?.isDeleted).toBe(true);
    expect(await contentsOf(key)).toBe(0);
  });

  test("of all locks the conversations in the order of their ids", async () => {
    const ids = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000000"];
    for (const id of ids) {
      const key = { keyId: "key_1", id };
      await lock(pool, key, "req_1");
      await store.append(key, "req_1", newTurn());
    }
    // With statistics, the planner would read the rows in their physical order.
    await pool.query("ANALYZE conversation");
    const own = "SELECT FROM conversation WHERE id = $1 FOR UPDATE";
    const holder = await pool.connect();
    await holder.query("BEGIN");
    await holder.query(own, [ids[1]]);
    const removed = deletion.deleteAll("key_1", neverAborted);
    await waitsForRow();
    const free = holder.query(`${own} NOWAIT`, [ids[0]]);
    await free.finally(() => holder.release(true));
    await removed;
  });

  describe("of very many", () => {
    const keyId = "key_many";
    const live = "SELECT id FROM conversation WHERE key_id = $1 AND deleted_at IS NULL";
    const countLive = async () => (await pool.query(live, [keyId])).rowCount ?? 0;

    beforeAll(async () => {
      await pool.query(
        `INSERT INTO conversation (key_id, id, account_id, model, turn_count, context_tokens,
           text_bytes, text_characters, messages, image_parts)
         SELECT $1, gen_random_uuid(), 'acct_1', 'm', 1, 0, 0, 0, 2, 0 FROM generate_series(1, 4500)`,
        [keyId],
      );
      // Autovacuum does this in production. By the statistics of a few rows, a batch takes seconds.
      await pool.query("ANALYZE conversation");
    });

    test("does nothing for a call that is already aborted", async () => {
      await expect(deletion.deleteAll(keyId, AbortSignal.abort())).rejects.toThrow();
      expect(await countLive()).toBe(4_500);
    });

    test("deletes in batches until none is left", async () => {
      const holder = await pool.connect();
      await holder.query("BEGIN");
      const last = (await pool.query<{ id: string }>(live, [keyId])).rows.at(-1)?.id;
      await holder.query(`${live} AND id = $2 FOR UPDATE`, [keyId, last]);
      const removed = deletion.deleteAll(keyId, neverAborted);
      await waitsForRow();
      expect(await countLive().finally(() => holder.release(true))).toBeLessThan(4_500);
      await removed;
      expect(await countLive()).toBe(0);
    });
  });

  test("removes segments, too", async () => {
    const key = newKey();
    await lock(pool, key, "req_1");
    for (let turn = 0; turn < 64; turn += 1) await store.append(key, "req_1", newTurn());
    expect(await contentsOf(key)).toBe(65);
    await deletion.deleteOne(key);
    expect(await contentsOf(key)).toBe(0);
  });

  test("prevents further turns of the conversation", async () => {
    const key = await begin();
    await deletion.deleteOne(key);
    await lock(pool, key, "req_2");
    expect(await store.append(key, "req_2", newTurn())).toBe(false);
    expect(await contentsOf(key)).toBe(0);
  });

  test("does not wait for the ledger, whose entries are unlinked with retries", async () => {
    const key = await begin();
    let isUnavailable = true;
    unlink.mockClear();
    unlink.mockImplementation(async () => {
      if (isUnavailable) throw new GatewayError("internal_error", "the ledger is unavailable");
      return {};
    });
    const startedAt = performance.now();
    expect(await deletion.deleteOne(key)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await vi.waitFor(() => expect(unlink.mock.calls.length).toBeGreaterThan(2), waitOptions);
    isUnavailable = false;
    await vi.waitFor(async () => {
      expect((await pool.query("SELECT FROM pending_unlink")).rows).toEqual([]);
    }, waitOptions);
    expect(unlink.mock.lastCall?.[0].conversationIds).toContain(linkOf(key));
  });

  test("returns at once while the ledger does not respond", async () => {
    const key = await begin();
    const pending = Promise.withResolvers<object>();
    unlink.mockImplementation(() => pending.promise);
    await deletion.deleteOne(key);
    await deletion.deleteAll(key.keyId, neverAborted);
    pending.resolve({});
  });

  test("unlinks all pending conversations, however many batches they are", async () => {
    await deletion.stop();
    unlink.mockClear();
    await pool.query("DELETE FROM pending_unlink");
    await pool.query(
      `INSERT INTO pending_unlink (link, account_id)
       SELECT 'link_' || n, 'acct_' || n % 3 FROM generate_series(1, 1700) AS n`,
    );
    const ledger = { unlinkConversations: unlink } as unknown as Client<typeof LedgerService>;
    const unlinking = createDeletion(pool, ledger, silent, { retryEveryMs: 600_000 });
    await unlinking.deleteOne(await begin());
    await vi.waitFor(async () => {
      expect((await pool.query("SELECT FROM pending_unlink")).rows).toEqual([]);
    }, waitOptions);
    await unlinking.stop();
    const unlinked = unlink.mock.calls.flatMap(([{ conversationIds }]) => conversationIds);
    expect(new Set(unlinked).size).toBe(1_701);
  });
});
