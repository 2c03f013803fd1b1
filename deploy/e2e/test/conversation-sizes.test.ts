import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { expectBooksInOrder } from "../src/ledger-books.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { type Answer, chatBody, expectEnvelope, send, simulate } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

type Body = Record<string, unknown>;

describe("how large conversations are", () => {
  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(50);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  function say(sessionId: string, content: unknown, more: Body = {}): Promise<Answer> {
    const messages = [{ role: "user", content }];
    const body = chatBody({ session_id: sessionId, messages, ...more });
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body });
  }

  async function detail(id: string) {
    const answer = await send(`${stack.url}/v1/conversations/${id}`, { key: account.key });
    expect(answer.status).toBe(200);
    return answer.body as { turn_count: number; turns: unknown[] };
  }

  const lastMessages = () => {
    const body = stack.simulator.calls.list().at(-1)?.body as { messages: Body[] } | undefined;
    return body?.messages ?? [];
  };

  test("tools count once a request, as in the same exchange sent in full", async () => {
    const id = randomUUID();
    const description = "What the weather is like. ".repeat(300);
    const tools = [{ type: "function", function: { name: "weather", description } }];
    const model = "test-no-usage";
    const told: Body[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const { body } = await say(id, `turn ${turn}`, { model, tools, tool_choice: "none" });
      told.push((body as { usage: Body }).usage);
    }
    const whole = chatBody({ model, messages: lastMessages(), tools, tool_choice: "none" });
    const url = `${stack.url}/v1/chat/completions`;
    const { usage } = (await send(url, { key: account.key, body: whole })).body as { usage: Body };
    expect(told.at(-1)?.prompt_tokens).toBe(usage.prompt_tokens);
  });

  test("the hold covers what is stored, and not only what is sent", async () => {
    const id = randomUUID();
    const before = await heldDuring(randomUUID());
    await say(id, "x".repeat(50_000), { max_tokens: 5 });
    const after = await heldDuring(id);
    // Each byte may be a token, at the alias's input price.
    const { body } = await send(`${stack.url}/v1/models/test-small`);
    const { pricing } = body as { pricing: { input: number; per: number } };
    const least = (50_000 * pricing.input * 1e9) / pricing.per;
    expect(Number(after - before)).toBeGreaterThanOrEqual(least);
  });

  /** What the wallet holds while a turn is generated. */
  async function heldDuring(id: string): Promise<bigint> {
    // The hold of an earlier request may still be open.
    await expectBooksInOrder(stack);
    const calls = stack.simulator.calls.list().length;
    const turn = say(id, "y", { max_tokens: 5, ...simulate("delay_ms=3000") });
    await eventually(() => expect(stack.simulator.calls.list()).toHaveLength(calls + 1));
    const { body } = await send(`${stack.url}/v1/credits`, { key: account.key });
    expect((await turn).status).toBe(200);
    return nanoUsd((body as { held: number }).held);
  }

  const image = (bytes: number) => {
    const url = `data:image/png;base64,${"A".repeat(bytes)}`;
    return [{ type: "image_url", image_url: { url } }];
  };

  test("images that are stored are not sent to an alias that takes none", async () => {
    const id = randomUUID();
    expect((await say(id, image(8), { model: "test-vision" })).status).toBe(200);
    expectEnvelope(await say(id, "and now?"), 400, "invalid_param", "model");
    expect((await say(id, "and now?", { model: "test-vision" })).status).toBe(200);
  });

  test.each([
    "test-failover",
    "test-failover-dead",
    "test-failover-empty",
  ])("a large body reaches the second slot whole: %s", async (model) => {
    const id = randomUUID();
    const text = "é".repeat(100_000);
    await say(id, text, simulate("usage=10,1"));
    for (const stream of [false, true]) {
      const answer = await say(id, "next", { model, stream, ...simulate("usage=10,1") });
      expect([answer.status, stream && !answer.text.includes("[DONE]")]).toEqual([200, false]);
      expect(lastMessages().at(0)?.content === text).toBe(true);
      expect(lastMessages().at(-1)).toEqual({ role: "user", content: "next" });
    }
  });

  test("one holds 32 MiB, can be read whole, and takes no turn beyond", async () => {
    const id = randomUUID();
    const model = "test-vision";
    expect((await say(id, image(17_000_000), { model })).status).toBe(200);
    const calls = stack.simulator.calls.list().length;
    const refused = await say(id, image(17_000_000), { model });
    expectEnvelope(refused, 400, "context_length_exceeded", "messages");
    expect(stack.simulator.calls.list()).toHaveLength(calls);
    expect((await say(id, image(16_000_000), { model })).status).toBe(200);
    const { turn_count, turns } = await detail(id);
    expect([turn_count, turns.length]).toEqual([2, 2]);
  });

  test("2,000 turns and 10 MB: the list stays quick, and the next turn adds little", async () => {
    const id = randomUUID();
    await say(id, "first");
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    await database.query(
      `INSERT INTO chat.turn (key_id, conversation_id, index, messages, response, usage, model, request_id)
       SELECT key_id, conversation_id, n, '[{"role":"user","content":"' || repeat('é', 1250) || '"}]',
         '{"role":"assistant","content":"' || repeat('x', 2500) || '"}', usage, 'test-small', 'r'
       FROM chat.turn, generate_series(1, 1999) n WHERE conversation_id = $1 AND index = 0`,
      [id],
    );
    await database.query("UPDATE chat.conversation SET turn_count = 2000 WHERE id = $1", [id]);
    // What is few enough is scanned, whatever there is of indices.
    await database.query("SET enable_seqscan = off");
    const { rows } = await database.query(
      `EXPLAIN SELECT id FROM chat.conversation WHERE key_id = $1 AND deleted_at IS NULL
       ORDER BY last_active_at DESC, id LIMIT 25`,
      ["key"],
    );
    await database.end();
    // What is added is some milliseconds; the machine may be busy with other things.
    for (const text of ["next", "one more"]) {
      const startedAt = performance.now();
      expect((await say(id, text, simulate("usage=10,1"))).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(2_500);
    }
    expect((await detail(id)).turn_count).toBe(2_002);
    expect(JSON.stringify(rows)).toContain("conversation_last_active");
    expect(JSON.stringify(rows)).not.toContain("Sort");
  });
});
