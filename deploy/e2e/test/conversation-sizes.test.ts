import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, expectEnvelope, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

type Body = Record<string, unknown>;

const { stack, account, expectBooks } = await sharedStack({ creditUsd: 50 });

describe("large conversations", () => {
  function say(sessionId: string, content: unknown, more: Body = {}): Promise<HttpResponse> {
    const messages = [{ role: "user", content }];
    const body = chatBody({ session_id: sessionId, messages, ...more });
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body });
  }

  async function detail(id: string) {
    const response = await send(`${stack.url}/v1/conversations/${id}`, { key: account.key });
    expect(response.status).toBe(200);
    return response.body as { turn_count: number; turns: unknown[] };
  }

  const lastMessages = () => {
    const body = stack.simulator.calls.list().at(-1)?.body as { messages: Body[] } | undefined;
    return body?.messages ?? [];
  };

  test("tools count once per request, as when the conversation is sent in full", async () => {
    const id = randomUUID();
    const description = "What the weather is like. ".repeat(300);
    const tools = [{ type: "function", function: { name: "weather", description } }];
    const model = "test-no-usage";
    const reported: Body[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const { body } = await say(id, `turn ${turn}`, { model, tools, tool_choice: "none" });
      reported.push((body as { usage: Body }).usage);
    }
    const full = chatBody({ model, messages: lastMessages(), tools, tool_choice: "none" });
    const url = `${stack.url}/v1/chat/completions`;
    const { usage } = (await send(url, { key: account.key, body: full })).body as { usage: Body };
    // Both are estimates, of texts that are cut at other places.
    const ratio = Number(reported.at(-1)?.prompt_tokens) / Number(usage.prompt_tokens);
    expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
  });

  test("the hold covers what is stored, and not only what is sent", async () => {
    const id = randomUUID();
    const before = await heldDuring(randomUUID());
    await say(id, "x".repeat(50_000), { max_tokens: 5 });
    const after = await heldDuring(id);
    // Each byte may be a token at the alias's input price.
    const { body } = await send(`${stack.url}/v1/models/test-small`);
    const { pricing } = body as { pricing: { input: number; per: number } };
    const likelyBytesPerToken = 3;
    const least = ((50_000 / likelyBytesPerToken) * pricing.input * 1e9) / pricing.per;
    expect(Number(after - before)).toBeGreaterThanOrEqual(least);
  });

  /** Resolves with the amount that is held while a turn is generated. */
  async function heldDuring(id: string): Promise<bigint> {
    // The hold of an earlier request may still be open.
    await expectBooks();
    const calls = stack.simulator.calls.list().length;
    const turn = say(id, "y", { max_tokens: 5, ...simulate("delay_ms=3000") });
    await eventually(() => expect(stack.simulator.calls.list()).toHaveLength(calls + 1));
    const { body } = await send(`${stack.url}/v1/credits`, { key: account.key });
    stack.simulator.release();
    expect((await turn).status).toBe(200);
    return nanoUsd((body as { held: number }).held);
  }

  const image = (bytes: number) => {
    const url = `data:image/png;base64,${"A".repeat(bytes)}`;
    return [{ type: "image_url", image_url: { url } }];
  };

  test("stored images are not sent to an alias without vision", async () => {
    const id = randomUUID();
    expect((await say(id, image(8), { model: "test-vision" })).status).toBe(200);
    expectEnvelope(await say(id, "and now?"), 400, "invalid_param", "model");
    expect((await say(id, "and now?", { model: "test-vision" })).status).toBe(200);
  });

  test.each([
    "test-failover",
    "test-failover-dead",
    "test-failover-empty",
  ])("a large body reaches the second slot in full: %s", async (model) => {
    const id = randomUUID();
    const text = "é".repeat(100_000);
    await say(id, text, simulate("usage=10,1"));
    for (const stream of [false, true]) {
      const response = await say(id, "next", { model, stream, ...simulate("usage=10,1") });
      expect([response.status, stream && !response.text.includes("[DONE]")]).toEqual([200, false]);
      expect(lastMessages().at(0)?.content === text).toBe(true);
      expect(lastMessages().at(-1)).toEqual({ role: "user", content: "next" });
    }
  });

  test("with 2,000 turns and 10 MB the list uses its index and the next turn stays fast", async () => {
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
    // The planner would scan and sort a small table instead of using the index.
    await database.query("SET enable_seqscan = off");
    await database.query("SET enable_sort = off");
    const { rows } = await database.query(
      `EXPLAIN SELECT id FROM chat.conversation WHERE key_id = $1 AND deleted_at IS NULL
       ORDER BY last_active_at DESC, id LIMIT 25`,
      ["key"],
    );
    await database.end();
    // It takes some milliseconds more; the machine may be busy with other work.
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
