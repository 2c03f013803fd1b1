import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { ConversationKey } from "../src/conversations/conversation-key.ts";
import { createConversationStore } from "../src/conversations/store.ts";
import { lock, newKey, newTurn, openChatDatabase } from "./chat-database.ts";

describe("the turns of a long conversation", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openChatDatabase(inject("postgresUrl"));
  });

  afterAll(() => pool.end());

  /** Creates a conversation of `count` numbered turns. */
  async function begin(count: number): Promise<ConversationKey> {
    const key = newKey();
    await lock(pool, key, "req_1");
    await addTurns(key, 0, count);
    return key;
  }

  async function addTurns(key: ConversationKey, from: number, until: number): Promise<void> {
    const store = createConversationStore(pool);
    for (let index = from; index < until; index += 1) {
      await store.append(key, "req_1", newTurn({ messages: `[${messageOf(index)}]` }));
    }
  }

  const messageOf = (index: number) => `{"role":"user","content":"é ${index}"}`;
  const textOf = (count: number) =>
    Array.from({ length: count }, (_, index) => `${messageOf(index)},${newTurn().response},`).join(
      "",
    );

  /** Reads the conversation as a replica does that has not cached it. */
  async function readUncached(key: ConversationKey): Promise<string> {
    const { content = [] } = (await createConversationStore(pool).load(key)) ?? {};
    return Buffer.concat(content).toString();
  }

  async function segmentsOf({ id }: ConversationKey): Promise<(readonly [number, number])[]> {
    const { rows } = await pool.query<{ from_index: number; until_index: number }>(
      `SELECT from_index, until_index FROM turn_segment WHERE conversation_id = $1
       ORDER BY from_index`,
      [id],
    );
    return rows.map(({ from_index, until_index }) => [from_index, until_index]);
  }

  test.each([
    1, 63, 64, 65, 127, 130,
  ])("of %i turns are read completely and in order", async (count) => {
    const key = await begin(count);
    expect(await readUncached(key)).toBe(textOf(count));
  });

  test("are joined into segments of 64, which are read instead", async () => {
    const key = await begin(130);
    expect(await segmentsOf(key)).toEqual([
      [0, 64],
      [64, 128],
    ]);
    // The joined turns are not read from their rows.
    await pool.query("UPDATE turn SET messages = '' WHERE conversation_id = $1 AND index < 128", [
      key.id,
    ]);
    expect(await readUncached(key)).toBe(textOf(130));
  });

  test("that are in no segment are read one by one, and joined with the next segment", async () => {
    const key = await begin(150);
    await pool.query("DELETE FROM turn_segment WHERE conversation_id = $1", [key.id]);
    expect(await readUncached(key)).toBe(textOf(150));
    await addTurns(key, 150, 193);
    expect(await segmentsOf(key)).toEqual([[0, 192]]);
    expect(await readUncached(key)).toBe(textOf(193));
  });

  test.each([
    ["a few", 60, 70],
    ["many", 10, 140],
  ])("that another replica added, %s, follow the cached turns", async (_, seen, count) => {
    const key = await begin(seen);
    const store = createConversationStore(pool);
    await store.load(key);
    await addTurns(key, seen, count);
    expect(Buffer.concat((await store.load(key))?.content ?? []).toString()).toBe(textOf(count));
  });

  test("are joined also when a session with another search path adds them", async () => {
    const key = await begin(63);
    const client = await pool.connect();
    try {
      await client.query("SET search_path = public");
      await client.query(
        `INSERT INTO chat.turn (key_id, conversation_id, index, messages, response, usage, model,
           request_id)
         VALUES ($1, $2, 63, '[1]', '2', '{}', 'm', 'r')`,
        [key.keyId, key.id],
      );
    } finally {
      client.release(true);
    }
    expect(await segmentsOf(key)).toEqual([[0, 64]]);
  });
});
