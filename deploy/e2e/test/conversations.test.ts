import { randomUUID } from "node:crypto";
import OpenAI from "openai";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf, expectBooksInOrder } from "../src/ledger-books.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { type Answer, chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { type Account, type Replica, type Stack, startStack } from "../src/stack.ts";

type Body = Record<string, unknown>;
interface Detail {
  turn_count: number;
  turns: { index: number; messages: unknown; response: Body; usage: Body; request_id: string }[];
  cost_summary: { total_cost: number; items: { request_id: string; cost: number }[] };
}

describe("conversations", () => {
  let stack: Stack;
  let replica: Replica;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack({
      TOLLGATE_SESSION_WAIT_SECONDS: "2",
      // A killed holder's hold ends soon.
      TOLLGATE_HOLD_SECONDS: "5",
    });
    replica = await stack.addReplica();
    account = await stack.newAccount(20);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  interface To {
    key?: string;
    url?: string;
  }

  function say(sessionId: string, content: unknown, more: Body = {}, to: To = {}): Promise<Answer> {
    const { key = account.key, url = stack.url } = to;
    const body = chatBody({
      session_id: sessionId,
      messages: [{ role: "user", content }],
      ...more,
    });
    return send(`${url}/v1/chat/completions`, { key, body });
  }

  function call(method: string, path = "", to: To = {}): Promise<Answer> {
    const { key = account.key, url = stack.url } = to;
    return send(`${url}/v1/conversations${path}`, { method, key });
  }

  const detail = async (id: string, to: To = {}) =>
    (await call("GET", `/${id}`, to)).body as Detail;
  const lastMessages = () => {
    const body = stack.simulator.journal.list().at(-1)?.body as { messages: Body[] } | undefined;
    return body?.messages ?? [];
  };

  test("each turn is sent alone, and the provider reads all of them; JSON and streamed", async () => {
    const id = randomUUID();
    const first = await say(id.toUpperCase(), "one");
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ session_id: id.toUpperCase() });
    const answer = (first.body as { choices: { message: Body }[] }).choices[0]?.message ?? {};
    const second = await say(id, "two", { stream: true }, { url: replica.url });
    const events = eventsOf(second.text) as Body[];
    expect(events.at(-1)).toBe("[DONE]");
    expect(events.slice(0, -1).every(({ session_id }) => session_id === id)).toBe(true);
    expect(lastMessages()).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: answer.content },
      { role: "user", content: "two" },
    ]);
    const streamed = events
      .slice(0, -1)
      .map((event) => (event.choices as { delta: { content?: string } }[])[0]?.delta.content ?? "")
      .join("");
    await say(id, "three");
    expect(lastMessages()).toHaveLength(5);
    expect(lastMessages()[3]).toEqual({ role: "assistant", content: streamed });
    const stored = await detail(id);
    expect(stored.turns.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(stored.turns[1]).toMatchObject({
      messages: [{ role: "user", content: "two" }],
      response: { role: "assistant", content: streamed },
      model: "test-small",
      request_id: second.headers.get("x-request-id"),
      usage: { cost: expect.any(Number) },
    });
  });

  test("a call without a session_id is no conversation, and its answer has none", async () => {
    const own = await stack.newAccount(1);
    const answer = await send(`${stack.url}/v1/chat/completions`, {
      key: own.key,
      body: chatBody(),
    });
    expect(Object.keys(answer.body as object)).not.toContain("session_id");
    const list = await call("GET", "", { key: own.key });
    expect(list.body).toEqual({ object: "list", data: [], total: 0, limit: 25, offset: 0 });
  });

  test("the openai client talks for ten turns, streamed and not, with tools", async () => {
    const client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: account.key, maxRetries: 0 });
    const id = randomUUID();
    const tools = [
      { type: "function" as const, function: { name: "weather", parameters: { type: "object" } } },
    ];
    for (let turn = 0; turn < 10; turn += 1) {
      const body = {
        model: "test-small",
        messages: [{ role: "user" as const, content: `turn ${turn}` }],
        session_id: id,
        ...(turn % 3 === 2 ? { tools, tool_choice: "required" as const } : {}),
      };
      if (turn % 2 === 0) {
        await client.chat.completions.create(body);
      } else {
        const stream = await client.chat.completions.create({ ...body, stream: true });
        for await (const _ of stream);
      }
    }
    expect(lastMessages()).toHaveLength(19);
    const { turns } = await detail(id);
    expect(turns).toHaveLength(10);
    for (const index of [2, 5, 8]) {
      expect(turns[index]?.response).toMatchObject({
        tool_calls: [{ id: expect.any(String), type: "function", function: { name: "weather" } }],
      });
    }
  });

  test("what it cost is itemized from the ledger, to the micro-USD", async () => {
    const id = randomUUID();
    const answers = [await say(id, "a"), await say(id, "b".repeat(300))];
    await eventually(async () => {
      const { cost_summary } = await detail(id);
      expect(cost_summary.items.map(({ request_id }) => request_id)).toEqual(
        answers.map(({ headers }) => headers.get("x-request-id")),
      );
      const told = answers.map(({ body }) => (body as { usage: { cost: number } }).usage.cost);
      expect(cost_summary.items.map(({ cost }) => cost)).toEqual(told);
      expect(nanoUsd(cost_summary.total_cost)).toBe(
        told.reduce((sum, one) => sum + nanoUsd(one), 0n),
      );
    });
    expect((await call("GET", `/${id}`)).text).toMatch(/"total_cost":0\.\d{6},/);
  });

  test("another key's same id is another conversation, and no key sees another's", async () => {
    const id = randomUUID();
    const sibling = await stack.operator.createKey({ account: account.accountId });
    const other = { key: sibling.key };
    await say(id, "mine");
    expectEnvelope(await call("GET", `/${id}`, other), 404, "conversation_not_found");
    expectEnvelope(await call("DELETE", `/${id}`, other), 404, "conversation_not_found");
    await say(id, "theirs", {}, other);
    expect(lastMessages()).toEqual([{ role: "user", content: "theirs" }]);
    await call("DELETE", "", other);
    expect((await detail(id)).turn_count).toBe(1);
  });

  test("deleted for ever: no list, no detail, no revival, no content, no link; again is 204", async () => {
    const id = randomUUID();
    const secret = `secret-${randomUUID()}`;
    const answer = await say(id, secret);
    await expectBooksInOrder(stack);
    expect((await call("DELETE", `/${id}`)).status).toBe(204);
    expect((await call("DELETE", `/${id}`)).status).toBe(204);
    expectEnvelope(await call("GET", `/${id}`), 404, "conversation_not_found");
    expect((await call("GET", "?limit=100")).text).not.toContain(id);
    const before = stack.simulator.journal.list().length;
    for (const stream of [false, true]) {
      const revived = await say(id, "again", { stream });
      expectEnvelope(revived, 404, "conversation_not_found", "session_id");
    }
    expect(stack.simulator.journal.list()).toHaveLength(before);
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
        const answer = await call(method, `/${id}`);
        expectEnvelope(answer, 404, "conversation_not_found");
        texts.add(answer.text);
      }
    }
    expect(texts.size).toBe(1);
    expectEnvelope(await say("not-a-uuid", "x"), 400, "invalid_param", "session_id");
    expectEnvelope(await call("GET", "", { key: "sk-x" }), 401, "invalid_api_key");
    expectEnvelope(await call("GET", "/%zz", { key: "sk-x" }), 401, "invalid_api_key");
    expectEnvelope(await send(`${stack.url}/v1/models/%zz`), 404, "model_not_found");
    expectEnvelope(await call("POST"), 405, "method_not_allowed");
  });

  test("lists the most recently active first, and pagination never errors", async () => {
    const own = { key: (await stack.newAccount(1)).key };
    const ids = Array.from({ length: 30 }, () => randomUUID());
    for (const id of ids) expect((await say(id, "x", {}, own)).status).toBe(200);
    await say(ids[3] as string, "again", {}, own);
    const order = [ids[3], ...ids.filter((_, index) => index !== 3).reverse()];
    const list = async (query: string) =>
      (await call("GET", query, own)).body as { data: { id: string }[]; [name: string]: unknown };
    const page = async (query: string) => (await list(query)).data.map(({ id }) => id);
    expect(await list("")).toMatchObject({ object: "list", total: 30, limit: 25, offset: 0 });
    expect(await page("")).toEqual(order.slice(0, 25));
    expect(await page("?limit=5&offset=3")).toEqual(order.slice(3, 8));
    for (const [query, limit, offset] of [
      ["?limit=0", 25, 0],
      ["?limit=-5", 25, 0],
      ["?limit=1000", 100, 0],
      ["?limit=abc&offset=xyz", 25, 0],
      ["?limit=1.5&offset=-3", 25, 0],
      ["?limit=99999999999999999999&offset=40", 100, 40],
      ["?limit=-99999999999999999999", 25, 0],
      ["?offset=99999999999999999999", 25, Number.MAX_SAFE_INTEGER],
    ] as const) {
      expect(await list(query)).toMatchObject({ total: 30, limit, offset });
    }
    expect(await page("?offset=99999999999999999999")).toEqual([]);
    expect((await list("")).data[0]).toEqual({
      id: ids[3],
      object: "conversation",
      created_at: expect.any(Number),
      last_active_at: expect.any(Number),
      model: "test-small",
      turn_count: 2,
    });
    expect((await call("DELETE", "", own)).status).toBe(204);
    expect(await list("")).toMatchObject({ total: 0, data: [] });
    expect((await call("DELETE", "", own)).status).toBe(204);
    expect((await call("DELETE", `/${ids[0]}`, own)).status).toBe(204);
  });

  test("a turn whose generation fails, breaks or is left is not stored, and the next one works", async () => {
    const id = randomUUID();
    await say(id, "one");
    expectEnvelope(await say(id, "two", { model: "test-failing" }), 502, "upstream_rejected");
    const cut = await say(id, "three", { model: "test-cut", stream: true });
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
      expect(stack.simulator.journal.list().at(-1)?.outcome).toBe("client_left"),
    );
    expect((await say(id, "four")).status).toBe(200);
    expect(lastMessages().map(({ content }) => content)).toEqual([
      "one",
      expect.any(String),
      "four",
    ]);
    expect((await detail(id)).turn_count).toBe(2);
  });

  test("a first turn that fails begins no conversation", async () => {
    const id = randomUUID();
    await say(id, "x", { model: "test-failing" });
    expectEnvelope(await call("GET", `/${id}`), 404, "conversation_not_found");
  });

  test("a second request waits for the first, over replicas, and is 429 when that takes too long", async () => {
    const id = randomUUID();
    const slow = say(id, "slow", simulate("delay_ms=1000"));
    await eventually(() => expect(lastMessages()).toEqual([{ role: "user", content: "slow" }]));
    const waiting = await say(id, "waited", {}, { url: replica.url });
    expect([(await slow).status, waiting.status]).toEqual([200, 200]);
    expect(lastMessages()).toHaveLength(3);
    const endless = say(id, "slower", simulate("delay_ms=4000"));
    await eventually(() => expect(lastMessages()).toHaveLength(5));
    const refused = await say(id, "late", {}, { url: replica.url });
    expectEnvelope(refused, 429, "rate_limited", "session_id");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-should-retry")).toBe("true");
    expect((await endless).status).toBe(200);
    expect((await detail(id)).turn_count).toBe(3);
  });

  test("twenty turns at once on one conversation all come to stand one after another", async () => {
    const id = randomUUID();
    const said = Array.from({ length: 20 }, (_, index) =>
      say(id, `turn ${index}`, {}, { url: index % 2 === 0 ? stack.url : replica.url }),
    );
    const stored = (await Promise.all(said)).filter(({ status }) => status === 200).length;
    expect(stored).toBeGreaterThan(5);
    const { turns } = await detail(id);
    expect(turns.map(({ index }) => index)).toEqual(turns.map((_, index) => index));
    expect(turns).toHaveLength(stored);
  });

  test("a holder that is killed loses its lock within 15 seconds", async () => {
    const id = randomUUID();
    const doomed = await stack.addReplica();
    const lost = say(id, "lost", simulate("delay_ms=60000"), { url: doomed.url });
    const failed = expect(lost).rejects.toThrow();
    await eventually(() => expect(lastMessages()).toEqual([{ role: "user", content: "lost" }]));
    await doomed.kill();
    await failed;
    await eventually(async () => expect((await say(id, "next")).status).toBe(200), {
      timeout: 15_000,
      interval: 100,
    });
    expect(lastMessages()).toEqual([{ role: "user", content: "next" }]);
  });

  test("a conversation that is deleted under a turn stays deleted; a turn that nobody saw is unbilled", async () => {
    const id = randomUUID();
    await say(id, "one");
    const turn = say(id, "two", simulate("delay_ms=800"));
    await eventually(() => expect(lastMessages()).toHaveLength(3));
    expect((await call("DELETE", `/${id}`)).status).toBe(204);
    const answer = await turn;
    expectEnvelope(answer, 404, "conversation_not_found", "session_id");
    expectEnvelope(await call("GET", `/${id}`), 404, "conversation_not_found");
    await expectBooksInOrder(stack);
  });

  test("a streamed turn that is delivered while its conversation is deleted is billed", async () => {
    const id = randomUUID();
    const own = await stack.newAccount(1);
    await say(id, "one", {}, own);
    const stream = { stream: true, ...simulate("chunks=20&gap_ms=50") };
    const turn = say(id, "two", stream, own);
    await eventually(() => expect(lastMessages()).toHaveLength(3));
    expect((await call("DELETE", `/${id}`, own)).status).toBe(204);
    const answer = await turn;
    const events = eventsOf(answer.text) as Body[];
    const text = (event: Body) => JSON.stringify(event.choices ?? "");
    expect(events.some((event) => text(event).includes('"finish_reason":"stop"'))).toBe(true);
    expect(events.at(-1)).toMatchObject({ error: { code: "conversation_not_found" } });
    const entry = await entryOf(stack, own, answer.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "usage", basis: "provider" });
    expect(entry?.amountNanoUsd).toBeLessThan(0n);
    expectEnvelope(await call("GET", `/${id}`, own), 404, "conversation_not_found");
  });

  test("a context that grows too long is refused before any hold", async () => {
    const id = randomUUID();
    const own = await stack.newAccount(0.02);
    const long = await say(id, "x".repeat(100_000), { max_tokens: 5 }, { key: own.key });
    expect(long.status).toBe(200);
    const answer = await say(id, "y".repeat(40_000), { max_tokens: 5 }, { key: own.key });
    expectEnvelope(answer, 400, "context_length_exceeded", "messages");
    expect((await say(id, "z", { max_tokens: 5 }, { key: own.key })).status).toBe(200);
  });

  test("a retry under an idempotency key is no second turn", async () => {
    const id = randomUUID();
    const body = chatBody({ session_id: id });
    const options = { key: account.key, body, headers: { "idempotency-key": id } };
    const first = await send(`${stack.url}/v1/chat/completions`, options);
    const again = await send(`${stack.url}/v1/chat/completions`, options);
    expect(again.text).toBe(first.text);
    expect((await detail(id)).turn_count).toBe(1);
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
