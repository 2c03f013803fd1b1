import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { conversationClient } from "../src/conversation-client.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

type Body = Record<string, unknown>;

const { stack, account, expectBooks } = await sharedStack({ creditUsd: 20 });
const replica = await stack.replica();
const chat = conversationClient(stack, account);

describe("conversations that are refused, interrupted or deleted", () => {
  test("deletion is final: no list, no detail, no new turn, no content, no link; a repeat is 204", async () => {
    const id = randomUUID();
    const secret = `secret-${randomUUID()}`;
    const response = await chat.say(id, secret);
    await expectBooks();
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
    const requestId = response.headers.get("x-request-id");
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
        const response = await chat.call(method, `/${id}`);
        expectEnvelope(response, 404, "conversation_not_found");
        texts.add(response.text);
      }
    }
    expect(texts.size).toBe(1);
    expectEnvelope(await chat.say("not-a-uuid", "x"), 400, "invalid_param", "session_id");
    expectEnvelope(await chat.call("GET", "", { key: "sk-x" }), 401, "invalid_api_key");
    expectEnvelope(await chat.call("GET", "/%zz", { key: "sk-x" }), 401, "invalid_api_key");
    expectEnvelope(await send(`${stack.url}/v1/models/%zz`), 404, "model_not_found");
    expectEnvelope(await chat.call("POST"), 405, "method_not_allowed");
  });

  test("a turn whose generation fails, breaks or loses its client is not stored, and the next one works", async () => {
    const id = randomUUID();
    await chat.say(id, "one");
    expectEnvelope(await chat.say(id, "two", { model: "test-failing" }), 502, "upstream_rejected");
    // The response echoes it, and is cut before its end.
    const cut = await chat.say(id, "three ".repeat(20), { model: "test-cut", stream: true });
    expect(eventsOf(cut.text).at(-1)).toMatchObject({ error: { code: "upstream_rejected" } });
    const disconnecting = new AbortController();
    const response = await fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}` },
      body: JSON.stringify(
        chatBody({ session_id: id, stream: true, ...simulate("chunks=20&gap_ms=100") }),
      ),
      signal: disconnecting.signal,
    });
    await response.body?.getReader().read();
    disconnecting.abort();
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

  test("a first turn that fails creates no conversation", async () => {
    const id = randomUUID();
    await chat.say(id, "x", { model: "test-failing" });
    expectEnvelope(await chat.call("GET", `/${id}`), 404, "conversation_not_found");
  });

  test("a second request waits for the first across replicas, and is 429 when that takes too long", async () => {
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
    stack.simulator.release();
    expect((await endless).status).toBe(200);
    expect((await chat.detail(id)).turn_count).toBe(3);
  });

  test("a conversation deleted during a turn stays deleted; an undelivered turn is not billed", async () => {
    const id = randomUUID();
    await chat.say(id, "one");
    const turn = chat.say(id, "two", simulate("delay_ms=3000"));
    await eventually(() => expect(chat.lastMessages()).toHaveLength(3));
    expect((await chat.call("DELETE", `/${id}`)).status).toBe(204);
    stack.simulator.release();
    const response = await turn;
    expectEnvelope(response, 404, "conversation_not_found", "session_id");
    expectEnvelope(await chat.call("GET", `/${id}`), 404, "conversation_not_found");
    await expectBooks();
  });

  test("a streamed turn that is delivered while its conversation is deleted is billed", async () => {
    const id = randomUUID();
    const own = await stack.newAccount(1);
    await chat.say(id, "one", {}, own);
    const stream = { stream: true, ...simulate("chunks=20&gap_ms=150") };
    const turn = chat.say(id, "two", stream, own);
    await eventually(() => expect(chat.lastMessages()).toHaveLength(3));
    expect((await chat.call("DELETE", `/${id}`, own)).status).toBe(204);
    stack.simulator.release();
    const response = await turn;
    const events = eventsOf(response.text) as Body[];
    const text = (event: Body) => JSON.stringify(event.choices ?? "");
    expect(events.some((event) => text(event).includes('"finish_reason":"stop"'))).toBe(true);
    expect(events.at(-1)).toMatchObject({ error: { code: "conversation_not_found" } });
    const entry = await entryOf(stack, own, response.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "usage", basis: "provider" });
    expect(entry?.amountNanoUsd).toBeLessThan(0n);
    expectEnvelope(await chat.call("GET", `/${id}`, own), 404, "conversation_not_found");
  });

  test("a context that grows too long is refused before any hold", async () => {
    const id = randomUUID();
    const own = await stack.newAccount(0.02);
    const long = await chat.say(id, "x".repeat(100_000), { max_tokens: 5 }, { key: own.key });
    expect(long.status).toBe(200);
    const response = await chat.say(id, "y".repeat(40_000), { max_tokens: 5 }, { key: own.key });
    expectEnvelope(response, 400, "context_length_exceeded", "messages");
    expect((await chat.say(id, "z", { max_tokens: 5 }, { key: own.key })).status).toBe(200);
  });
});
