import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import type { ConversationKey } from "../src/conversations/conversation-key.ts";
import { type ConversationStore, createConversationStore } from "../src/conversations/store.ts";
import { lock, newKey, newTurn, openChatDatabase } from "./chat-database.ts";

describe("the store", () => {
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

  /** Changes what is stored, as nobody does, so that whoever reads it again is found out. */
  async function spoil({ id }: ConversationKey): Promise<void> {
    await pool.query("UPDATE turn SET messages = '[]' WHERE conversation_id = $1", [id]);
  }

  test("a list tells its total in the same statement, also beyond its end", async () => {
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

  test("turns that were read lately, or stored here, are not read again", async () => {
    const key = await begin(2);
    const store = createConversationStore(pool);
    expect(await textOf(store, key)).toBe(turnText.repeat(2));
    await spoil(key);
    await store.load(key);
    await store.append(key, "req_1", newTurn());
    expect(await textOf(store, key)).toBe(turnText.repeat(3));
  });

  test("a turn that another replica stored is read, and no other", async () => {
    const key = await begin(1);
    const [here, there] = [createConversationStore(pool), createConversationStore(pool)];
    await here.load(key);
    await spoil(key);
    await there.append(key, "req_1", newTurn({ response: '{"role":"assistant","content":"z"}' }));
    expect(await textOf(here, key)).toBe(turnText + turnText.replace('"y"', '"z"'));
  });

  test("many turns are few pieces, in their order", async () => {
    const key = newKey();
    await lock(pool, key, "req_1");
    const store = createConversationStore(pool);
    let text = "";
    for (let turn = 0; turn < 70; turn += 1) {
      const said = `{"role":"user","content":"${"x".repeat(turn % 7)}${turn}"}`;
      await store.append(key, "req_1", newTurn({ messages: `[${said}]` }));
      text += `${said},{"role":"assistant","content":"y"},`;
    }
    expect(await textOf(store, key)).toBe(text);
    expect((await store.load(key))?.content.length).toBeLessThan(12);
    expect(await textOf(createConversationStore(pool), key)).toBe(text);
  });

  test("2,000 turns of 10 MB are loaded in well under a second of work", async () => {
    const key = await begin(1);
    await pool.query(
      `INSERT INTO turn (key_id, conversation_id, index, messages, response, usage, model, request_id)
       SELECT key_id, conversation_id, n, '[{"role":"user","content":"' || repeat('é', 1250) || '"}]',
         '{"role":"assistant","content":"' || repeat('x', 2500) || '"}', usage, model, request_id
       FROM turn, generate_series(1, 1999) n WHERE conversation_id = $1 AND index = 0`,
      [key.id],
    );
    await pool.query("UPDATE conversation SET turn_count = 2000 WHERE id = $1", [key.id]);
    const took: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const store = createConversationStore(pool);
      const startedAt = performance.now();
      expect((await store.load(key))?.turnCount).toBe(2_000);
      took.push(performance.now() - startedAt);
    }
    // A busy machine takes a multiple of what it needs.
    expect(Math.min(...took)).toBeLessThan(2_500);
  });

  test("a turn is stored once for all runs of its request", async () => {
    const key = await begin(1);
    const store = createConversationStore(pool);
    const charge = { id: "req_charge", answer: "{}" };
    await store.append(key, "req_1", newTurn({ charge }));
    expect(await store.findCharged(key, "req_charge")).toMatchObject({ answer: "{}" });
    expect(await store.findCharged(newKey(), "req_charge")).toBeUndefined();
    await expect(store.append(key, "req_1", newTurn({ charge }))).rejects.toThrow("turn_charge");
    expect((await store.load(key))?.turnCount).toBe(2);
  });

  test("what is read of a conversation under way counts the turns that it has", async () => {
    const key = await begin(1);
    const store = createConversationStore(pool);
    let done = false;
    const adding = (async () => {
      for (let turn = 0; turn < 60; turn += 1) await store.append(key, "req_1", newTurn());
      done = true;
    })();
    while (!done) {
      const { row, turns } = (await store.read(key)) ?? expect.unreachable("it is there");
      expect(turns).toHaveLength(row.turn_count);
    }
    await adding;
  });
});
