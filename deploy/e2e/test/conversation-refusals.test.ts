import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConversationClient, conversationClient } from "../src/conversation-client.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, expectBooksInOrder } from "../src/ledger-books.ts";
import { chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { type Account, type Replica, type Stack, startStack } from "../src/stack.ts";

type Body = Record<string, unknown>;

describe("conversations that are refused, broken off or deleted", () => {
  let stack: Stack;
  let replica: Replica;
  let account: Account;
  let chat: ConversationClient;

  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_SESSION_WAIT_SECONDS: "2" });
    replica = await stack.addReplica();
    account = await stack.newAccount(20);
    chat = conversationClient(stack, account);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  test("deleted for ever: no list, no detail, no revival, no content, no link; again is 204", async () => {
    const id = randomUUID();
    const secret = `secret-${randomUUID()}`;
    const answer = await chat.say(id, secret);
    await expectBooksInOrder(stack);
    expect((await chat.call("DELETE", `/${id}`)).status).toBe(204);
    expect((await chat.call("DELETE", `/${id}`)).status).toBe(204);
    expectEnvelope(await chat.call("GET", `/${id}`), 404, "conversation_not_found");
    expect((await chat.call("GET", "?limit=100")).text).not.toContain(id);
    const before = stack.simulator.calls.list().length;
    for (const stream of [false, true]) {
      const revived = await chat.say(id, "again", { stream });
      expectEnvelope(revived, 404, "conversation_not_found", "session_id");
    }
    expect(stack.simulator.calls.list()).toHaveLength(before);
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    const { rows: turns } = await database.query("SELECT FROM chat.turn WHERE messages LIKE $1", [
      `%${secret}%`,
    ]);
    expect(turns).toEqual([]);
    const requestId = answer.headers.get("x-request-id");
    await eventually(async () => {
      const { rows } = await database.query(
        "SELECT conversation_id, amount_nano_usd < 0 AS paid FROM ledger.entry WHERE request_id = $1",
        [requestId],
      );
      expect(rows).toEqual([{ conversation_id: null, paid: true }]);
    });
    await database.end();
  });

  test("malformed and unknown ids are 404 alike; a malformed session_id is a 400", async () => {
    const texts = new Set<string>();
    for (const id of ["x", randomUUID(), `${randomUUID()}0`, "a/b", "%00", "%zz", "%"]) {
      for (const method of ["GET", "DELETE"]) {
        const answer = await chat.call(method, `/${id}`);
        expectEnvelope(answer, 404, "conversation_not_found");
        texts.add(answer.text);
      }
    }
    expect(texts.size).toBe(1);
    expectEnvelope(await chat.say("not-a-uuid", "x"), 400, "invalid_param", "session_id");
    expectEnvelope(await chat.call("GET", "", { key: "sk-x" }), 401, "invalid_api_key");
    expectEnvelope(await chat.call("GET", "/%zz", { key: "sk-x" }), 401, "invalid_api_key");
    expectEnvelope(await send(`${stack.url}/v1/models/%zz`), 404, "model_not_found");
    expectEnvelope(await chat.call("POST"), 405, "method_not_allowed");
  });

  test("a turn whose generation fails, breaks or is left is not stored, and the next one works", async () => {
    const id = randomUUID();
    await chat.say(id, "one");
    expectEnvelope(await chat.say(id, "two", { model: "test-failing" }), 502, "upstream_rejected");
    const cut = await chat.say(id, "three", { model: "test-cut", stream: true });
    expect(eventsOf(cut.text).at(-1)).toMatchObject({ error: { code: "upstream_rejected" } });
    const leaving = new AbortController();
    const response = await fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}` },
      body: JSON.stringify(
        chatBody({ session_id: id, stream: true, ...simulate("chunks=20&gap_ms=100") }),
      ),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await eventually(() =>
      expect(stack.simulator.calls.list().at(-1)?.outcome).toBe("client_disconnected"),
    );
    expect((await chat.say(id, "four")).status).toBe(200);
    expect(chat.lastMessages().map(({ content }) => content)).toEqual([
      "one",
      expect.any(String),
      "four",
    ]);
    expect((await chat.detail(id)).turn_count).toBe(2);
  });

  test("a first turn that fails begins no conversation", async () => {
    const id = randomUUID();
    await chat.say(id, "x", { model: "test-failing" });
    expectEnvelope(await chat.call("GET", `/${id}`), 404, "conversation_not_found");
  });

  test("a second request waits for the first, over replicas, and is 429 when that takes too long", async () => {
    const id = randomUUID();
    const slow = chat.say(id, "slow", simulate("delay_ms=1000"));
    await eventually(() =>
      expect(chat.lastMessages()).toEqual([{ role: "user", content: "slow" }]),
    );
    const waiting = await chat.say(id, "waited", {}, { url: replica.url });
    expect([(await slow).status, waiting.status]).toEqual([200, 200]);
    expect(chat.lastMessages()).toHaveLength(3);
    const endless = chat.say(id, "slower", simulate("delay_ms=4000"));
    await eventually(() => expect(chat.lastMessages()).toHaveLength(5));
    const refused = await chat.say(id, "late", {}, { url: replica.url });
    expectEnvelope(refused, 429, "rate_limited", "session_id");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-should-retry")).toBe("true");
    expect((await endless).status).toBe(200);
    expect((await chat.detail(id)).turn_count).toBe(3);
  });

  test("a conversation that is deleted under a turn stays deleted; a turn that nobody saw is unbilled", async () => {
    const id = randomUUID();
    await chat.say(id, "one");
    const turn = chat.say(id, "two", simulate("delay_ms=3000"));
    await eventually(() => expect(chat.lastMessages()).toHaveLength(3));
    expect((await chat.call("DELETE", `/${id}`)).status).toBe(204);
    const answer = await turn;
    expectEnvelope(answer, 404, "conversation_not_found", "session_id");
    expectEnvelope(await chat.call("GET", `/${id}`), 404, "conversation_not_found");
    await expectBooksInOrder(stack);
  });

  test("a streamed turn that is delivered while its conversation is deleted is billed", async () => {
    const id = randomUUID();
    const own = await stack.newAccount(1);
    await chat.say(id, "one", {}, own);
    const stream = { stream: true, ...simulate("chunks=20&gap_ms=150") };
    const turn = chat.say(id, "two", stream, own);
    await eventually(() => expect(chat.lastMessages()).toHaveLength(3));
    expect((await chat.call("DELETE", `/${id}`, own)).status).toBe(204);
    const answer = await turn;
    const events = eventsOf(answer.text) as Body[];
    const text = (event: Body) => JSON.stringify(event.choices ?? "");
    expect(events.some((event) => text(event).includes('"finish_reason":"stop"'))).toBe(true);
    expect(events.at(-1)).toMatchObject({ error: { code: "conversation_not_found" } });
    const entry = await entryOf(stack, own, answer.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "usage", basis: "provider" });
    expect(entry?.amountNanoUsd).toBeLessThan(0n);
    expectEnvelope(await chat.call("GET", `/${id}`, own), 404, "conversation_not_found");
  });

  test("a context that grows too long is refused before any hold", async () => {
    const id = randomUUID();
    const own = await stack.newAccount(0.02);
    const long = await chat.say(id, "x".repeat(100_000), { max_tokens: 5 }, { key: own.key });
    expect(long.status).toBe(200);
    const answer = await chat.say(id, "y".repeat(40_000), { max_tokens: 5 }, { key: own.key });
    expectEnvelope(answer, 400, "context_length_exceeded", "messages");
    expect((await chat.say(id, "z", { max_tokens: 5 }, { key: own.key })).status).toBe(200);
  });
});

describe("without a conversation store", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_SESSIONS: "off" });
  });

  afterAll(() => stack.stop());

  test("a session_id is refused, and there are no conversations", async () => {
    const { key } = await stack.newAccount(1);
    for (const stream of [false, true]) {
      const answer = await send(`${stack.url}/v1/chat/completions`, {
        key,
        body: chatBody({ session_id: randomUUID(), stream }),
      });
      expectEnvelope(answer, 400, "sessions_unavailable", "session_id");
    }
    const list = await send(`${stack.url}/v1/conversations`, { key });
    expect(list.body).toMatchObject({ data: [], total: 0 });
    const one = await send(`${stack.url}/v1/conversations/${randomUUID()}`, { key });
    expectEnvelope(one, 404, "conversation_not_found");
    const all = await send(`${stack.url}/v1/conversations`, { key, method: "DELETE" });
    expect(all.status).toBe(204);
    expect((await send(`${stack.url}/v1/chat/completions`, { key, body: chatBody() })).status).toBe(
      200,
    );
  });
});
