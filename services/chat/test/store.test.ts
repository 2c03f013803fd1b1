import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import type { ConversationKey } from "../src/conversations/conversation-key.ts";
import { type ConversationStore, createConversationStore } from "../src/conversations/store.ts";
import { lock, newKey, newTurn, openChatDatabase } from "./chat-database.ts";

describe("the conversation store", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openChatDatabase(inject("postgresUrl"));
  });

  afterAll(() => pool.end());

  const begin = async (count: number): Promise<ConversationKey> => {
    const key = newKey();
    await lock(pool, key, "req_1");
    const store = createConversationStore(pool);
    for (let turn = 0; turn < count; turn += 1) await store.append(key, "req_1", newTurn());
    return key;
  };
  const turnText = '{"role":"user","content":"x"},{"role":"assistant","content":"y"},';

  async function textOf(store: ConversationStore, key: ConversationKey): Promise<string> {
    return Buffer.concat((await store.load(key))?.content ?? []).toString();
  }

  /** Changes stored turns, which never happens in production, so that a repeated read is detected. */
  async function corrupt({ id }: ConversationKey): Promise<void> {
    await pool.query("UPDATE turn SET messages = '[]' WHERE conversation_id = $1", [id]);
  }

  test("a page and the total are read in one statement, also beyond the last page", async () => {
    const keyId = "key_list";
    const store = createConversationStore(pool);
    const query = vi.spyOn(pool, "query");
    expect(await store.list(keyId, 2, 0n)).toEqual({ rows: [], total: 0n });
    expect(query).toHaveBeenCalledOnce();
    query.mockRestore();
    const ids = [];
    for (const { id } of [newKey(), newKey(), newKey()]) {
      await lock(pool, { keyId, id }, "req_1");
      await store.append({ keyId, id }, "req_1", newTurn());
      ids.unshift(id);
    }
    const lists = await Promise.all([0n, 2n, 3n].map((offset) => store.list(keyId, 2, offset)));
    expect(lists.map(({ total }) => total)).toEqual([3n, 3n, 3n]);
    const listed = lists.map(({ rows }) => rows.map(({ id }) => id));
    expect(listed).toEqual([ids.slice(0, 2), ids.slice(2), []]);
  });

  test("cached turns retain no larger buffer of which they are a part", async () => {
    const key = await begin(1);
    const retained = async (store: ConversationStore) =>
      (await store.load(key))?.content.map(({ byteLength, buffer }) =>
        Math.floor(buffer.byteLength / byteLength),
      );
    const reader = createConversationStore(pool);
    const writer = createConversationStore(pool);
    expect(await retained(reader)).toEqual([1]);
    await writer.load(key);
    await writer.append(key, "req_1", newTurn());
    expect(await retained(writer)).toEqual([1]);
    expect(await retained(reader)).toEqual([1]);
  });

  test("turns that this store read or stored recently are not read again", async () => {
    const key = await begin(2);
    const store = createConversationStore(pool);
    expect(await textOf(store, key)).toBe(turnText.repeat(2));
    await corrupt(key);
    await store.load(key);
    await store.append(key, "req_1", newTurn());
    expect(await textOf(store, key)).toBe(turnText.repeat(3));
  });

  test("of a cached conversation, only the turns that another replica stored are read", async () => {
    const key = await begin(1);
    const [here, there] = [createConversationStore(pool), createConversationStore(pool)];
    await here.load(key);
    await corrupt(key);
    await there.append(key, "req_1", newTurn({ response: '{"role":"assistant","content":"z"}' }));
    expect(await textOf(here, key)).toBe(turnText + turnText.replace('"y"', '"z"'));
  });

  test("many turns are returned in few chunks, in order", async () => {
    const key = newKey();
    await lock(pool, key, "req_1");
    const store = createConversationStore(pool);
    let text = "";
    for (let turn = 0; turn < 70; turn += 1) {
      const message = `{"role":"user","content":"${"x".repeat(turn % 7)}${turn}"}`;
      await store.append(key, "req_1", newTurn({ messages: `[${message}]` }));
      text += `${message},{"role":"assistant","content":"y"},`;
    }
    expect(await textOf(store, key)).toBe(text);
    expect((await store.load(key))?.content.length).toBeLessThan(12);
    expect(await textOf(createConversationStore(pool), key)).toBe(text);
  });

  test("2,000 turns of 10 MB are loaded within 2.5 seconds", async () => {
    const key = await begin(1);
    await pool.query(
      `INSERT INTO turn (key_id, conversation_id, index, messages, response, usage, model, request_id)
       SELECT key_id, conversation_id, n, '[{"role":"user","content":"' || repeat('é', 1250) || '"}]',
         '{"role":"assistant","content":"' || repeat('x', 2500) || '"}', usage, model, request_id
       FROM turn, generate_series(1, 1999) n WHERE conversation_id = $1 AND index = 0`,
      [key.id],
    );
    await pool.query("UPDATE conversation SET turn_count = 2000 WHERE id = $1", [key.id]);
    const durationsMs: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const store = createConversationStore(pool);
      const startedAt = performance.now();
      expect((await store.load(key))?.turnCount).toBe(2_000);
      durationsMs.push(performance.now() - startedAt);
    }
    // An idle machine takes a fraction of this; a busy one takes longer.
    expect(Math.min(...durationsMs)).toBeLessThan(2_500);
  });

  test("a turn is stored once for all runs of its request", async () => {
    const key = await begin(1);
    const store = createConversationStore(pool);
    const charge = { id: "req_charge", responseHead: "{}" };
    await store.append(key, "req_1", newTurn({ charge }));
    expect(await store.findCharged(key, "req_charge")).toMatchObject({ response_head: "{}" });
    expect(await store.findCharged(newKey(), "req_charge")).toBeUndefined();
    await expect(store.append(key, "req_1", newTurn({ charge }))).rejects.toThrow("turn_charge");
    expect((await store.load(key))?.turnCount).toBe(2);
  });

  test("a conversation that is read while turns are added has as many turns as it counts", async () => {
    const key = await begin(1);
    const store = createConversationStore(pool);
    let done = false;
    const adding = (async () => {
      for (let turn = 0; turn < 60; turn += 1) await store.append(key, "req_1", newTurn());
      done = true;
    })();
    while (!done) {
      const { row, turns } =
        (await store.read(key)) ?? expect.unreachable("the conversation exists");
      expect(turns).toHaveLength(row.turn_count);
    }
    await adding;
  });
});
