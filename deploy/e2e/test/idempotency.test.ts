import { connect } from "node:net";
import OpenAI from "openai";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { type Answer, chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { specialtyRoutes } from "../src/specialty-routes.ts";
import { type Account, type Replica, type Stack, startStack } from "../src/stack.ts";

describe("idempotency", () => {
  let stack: Stack;
  let replica: Replica;
  let account: Account;

  beforeAll(async () => {
    // A killed runner's hold ends soon.
    stack = await startStack({ TOLLGATE_HOLD_SECONDS: "5" });
    replica = await stack.addReplica();
    account = await stack.newAccount(50);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  interface Keyed {
    path?: string;
    url?: string;
    owner?: Account;
  }

  function ask(idempotencyKey: string, body: unknown, options: Keyed = {}): Promise<Answer> {
    const { path = "/v1/chat/completions", url = stack.url, owner = account } = options;
    const headers = { "idempotency-key": idempotencyKey };
    return send(`${url}${path}`, { key: owner.key, body, headers });
  }

  function providerCalls(user: string) {
    return stack.simulator.calls.list({ user });
  }

  async function charges(owner: Account): Promise<bigint[]> {
    const { entries } = await readBooks(stack, owner);
    return entries.filter(({ amount }) => amount < 0n).map(({ amount }) => amount);
  }

  function expectReplay(answer: Answer, original: Answer): void {
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(original.text);
    expect(answer.headers.get("idempotency-replayed")).toBe("true");
    expect(original.headers.get("idempotency-replayed")).toBeNull();
    for (const name of ["x-request-id", "content-type"]) {
      expect(answer.headers.get(name)).toBe(original.headers.get(name));
    }
  }

  const routes = [
    ["/v1/chat/completions", chatBody()] as const,
    ["/v1/chat/completions", chatBody({ stream: true })] as const,
    ...specialtyRoutes.map(({ path, body }) => [path, body] as const),
  ];

  test.each(
    routes,
  )("%s is replayed on every replica, and %j is charged once", async (path, body) => {
    const owner = await stack.newAccount(1);
    const original = await ask("again", body, { path, owner });
    expect(original.status).toBe(200);
    const before = stack.simulator.calls.list().length;
    for (const url of [stack.url, replica.url, stack.url]) {
      expectReplay(await ask("again", body, { path, url, owner }), original);
    }
    expect(stack.simulator.calls.list()).toHaveLength(before);
    await expectBooksInOrder(stack);
    expect(await charges(owner)).toHaveLength(1);
  });

  test.each(routes)("%s refuses the key with another body: %j", async (path, body) => {
    const key = `other ${path} ${JSON.stringify(body)}`.replace(/[^a-z]/g, "");
    expect((await ask(key, body, { path })).status).toBe(200);
    const answer = await ask(key, JSON.stringify(body, null, 1), { path, url: replica.url });
    expectEnvelope(answer, 409, "idempotency_key_reused");
    expect(answer.headers.get("x-should-retry")).toBe("false");
  });

  test("the same body on another path is another request", async () => {
    const body = { model: "test-embed", input: "x" };
    expect((await ask("path", body, { path: "/v1/embeddings" })).status).toBe(200);
    const answer = await ask("path", body, { path: "/v1/rerank" });
    expectEnvelope(answer, 409, "idempotency_key_reused");
  });

  test("another API key's same idempotency key is another's", async () => {
    const other = await stack.newAccount(1);
    const first = await ask("mine", chatBody());
    const second = await ask("mine", chatBody({ n: 2 }), { owner: other });
    expect([first.status, second.status]).toEqual([200, 200]);
  });

  test.each([
    ["empty", ""],
    ["too long", "x".repeat(256)],
    ["with a space", "a b"],
    ["not ASCII", "clé"],
  ])("a key that is %s is refused by its name", async (_, key) => {
    expectEnvelope(await ask(key, chatBody()), 400, "invalid_param", "Idempotency-Key");
  });

  test("a key of 255 characters is taken", async () => {
    expect((await ask("~".repeat(255), chatBody())).status).toBe(200);
  });

  test("50 at once over two replicas: one provider call, one charge, 49 replays", async () => {
    for (const [round, stream] of [false, true].entries()) {
      const owner = await stack.newAccount(1);
      const user = `fifty-${round}`;
      const body = chatBody({ user, stream, ...simulate("delay_ms=300") });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          ask("fifty", body, { owner, url: index % 2 === 0 ? stack.url : replica.url }),
        ),
      );
      const originals = answers.filter(({ headers }) => !headers.has("idempotency-replayed"));
      expect(originals).toHaveLength(1);
      for (const answer of answers) {
        if (answer !== originals[0]) expectReplay(answer, originals[0] as Answer);
      }
      expect(providerCalls(user)).toHaveLength(1);
      await expectBooksInOrder(stack);
      expect(await charges(owner)).toHaveLength(1);
    }
  });

  test("another body while the first still runs is refused at once", async () => {
    const first = ask("busy", chatBody({ user: "busy", ...simulate("delay_ms=800") }));
    await eventually(() => expect(providerCalls("busy")).toHaveLength(1));
    expectEnvelope(await ask("busy", chatBody()), 409, "idempotency_key_reused");
    expect((await first).status).toBe(200);
  });

  test("a key is its body's also after a failure, and anybody's after a refusal", async () => {
    const owner = await stack.newAccount(1);
    const failing = chatBody({ user: "bound", ...simulate("status=500") });
    expectEnvelope(await ask("bound", failing, { owner }), 502, "upstream_rejected");
    expectEnvelope(await ask("bound", chatBody(), { owner }), 409, "idempotency_key_reused");
    expectEnvelope(await ask("bound", { n: 0 }, { owner }), 409, "idempotency_key_reused");
    for (const [refused, code, status] of [
      [chatBody({ model: "nobody" }), "model_not_found", 404],
      [chatBody({ n: 0 }), "invalid_param", 400],
    ] as const) {
      const answer = await ask(code, refused, { owner });
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(code)]);
      expect((await ask(code, chatBody(), { owner })).status).toBe(200);
    }
  });

  test("a failure and a refusal are not kept: the retry runs", async () => {
    const user = "retried";
    const body = chatBody({ user, ...simulate("fail_first=1&status=400&id=retried") });
    expectEnvelope(await ask("retried", body), 502, "upstream_rejected");
    const second = await ask("retried", body);
    expect([second.status, second.headers.get("idempotency-replayed")]).toEqual([200, null]);
    expectReplay(await ask("retried", body), second);
    expectEnvelope(await ask("bad", chatBody({ n: 0 })), 400, "invalid_param", "n");
    expect((await ask("bad", chatBody())).status).toBe(200);
  });

  test("a stream that breaks is not kept: the waiting duplicate runs", async () => {
    const body = chatBody({ model: "test-cut", stream: true });
    const startedAt = performance.now();
    const answers = await Promise.all([ask("broken", body), ask("broken", body)]);
    // Far less than the lease of a runner that died.
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    for (const answer of answers) {
      expect(eventsOf(answer.text).at(-1)).toMatchObject({ error: { code: "upstream_rejected" } });
      expect(answer.headers.get("idempotency-replayed")).toBeNull();
    }
  });

  test("a replay needs no money, a new request does", async () => {
    const poor = await stack.newAccount(0.000001);
    const first = await ask("poor", chatBody(), { owner: poor });
    expect(first.status).toBe(200);
    await expectBooksInOrder(stack);
    expect((await readBooks(stack, poor)).balance).toBe(0n);
    expectReplay(await ask("poor", chatBody(), { owner: poor }), first);
    const other = await ask("poor", chatBody({ n: 2 }), { owner: poor });
    expectEnvelope(other, 409, "idempotency_key_reused");
    await eventually(
      async () => {
        const broke = await ask("poor-2", "{", { owner: poor });
        expectEnvelope(broke, 402, "credit_balance_exhausted");
      },
      { timeout: 5_000, interval: 200 },
    );
  });

  test.each([
    false,
    true,
  ])("a client that leaves does not cancel its request (stream: %s)", async (stream) => {
    const user = `left-${stream}`;
    const body = chatBody({ user, stream, ...simulate("chunks=5&gap_ms=100&delay_ms=200") });
    const leaving = new AbortController();
    const gone = fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "idempotency-key": user },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).then((response) => response.text());
    await eventually(() => expect(providerCalls(user)).toHaveLength(1));
    leaving.abort();
    await expect(gone).rejects.toThrow();
    const answer = await ask(user, body, { url: replica.url });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("idempotency-replayed")).toBe("true");
    expect(providerCalls(user)).toMatchObject([{ outcome: "completed" }]);
  });

  test("the openai client replays by the key alone", async () => {
    const client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: account.key, maxRetries: 0 });
    const create = () =>
      client.chat.completions
        .create(
          { model: "test-small", messages: [{ role: "user", content: "once" }] },
          { headers: { "Idempotency-Key": "sdk" } },
        )
        .withResponse();
    const first = await create();
    const second = await create();
    expect(second.data).toEqual(first.data);
    expect(second.response.headers.get("idempotency-replayed")).toBe("true");
    expect(second.request_id).toBe(first.request_id);
  });

  test("replays carry the rate headers too", async () => {
    const answers = [await ask("rates", chatBody()), await ask("rates", chatBody())];
    for (const { headers } of answers) {
      expect(headers.get("x-ratelimit-remaining-requests")).toMatch(/^\d+$/);
    }
  });

  test.concurrent.each([
    false,
    true,
  ])("a runner killed half-way is taken over, and charged once (stream: %s)", async (stream) => {
    const owner = await stack.newAccount(1);
    const doomed = await stack.addReplica();
    const user = `killed-${stream}`;
    const body = chatBody({ user, stream, ...simulate("chunks=20&gap_ms=100&delay_ms=500") });
    const lost = ask("killed", body, { owner, url: doomed.url });
    const failed = expect(lost).rejects.toThrow();
    await eventually(() => expect(providerCalls(user)).toHaveLength(1));
    if (stream)
      await eventually(() => expect(providerCalls(user)[0]?.chunksSent).toBeGreaterThan(3));
    await doomed.kill();
    await failed;
    const startedAt = performance.now();
    const answer = await ask("killed", body, { owner });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([200, null]);
    expectReplay(await ask("killed", body, { owner, url: replica.url }), answer);
    expect(providerCalls(user)).toHaveLength(2);
    await expectBooksInOrder(stack);
    expect(await charges(owner)).toHaveLength(1);
  });

  test("a charge whose answer was lost is not made again by the retry", async () => {
    const owner = await stack.newAccount(1);
    const original = await ask("lost", chatBody(), { owner });
    await expectBooksInOrder(stack);
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    // As if its runner had died after the charge and before the answer was kept.
    await database.query(
      `UPDATE edge.idempotency_record SET stored_at = NULL, body = NULL, lease_until = now()
       WHERE key_id = $1`,
      [owner.keyId],
    );
    const again = await ask("lost", chatBody(), { owner });
    expect(again.headers.get("x-request-id")).not.toBe(original.headers.get("x-request-id"));
    await expectBooksInOrder(stack);
    const { rows } = await database.query(
      `SELECT request_id, amount_nano_usd < 0 AS charged, reference FROM ledger.entry
       WHERE key_id = $1 ORDER BY id`,
      [owner.keyId],
    );
    await database.end();
    const first = original.headers.get("x-request-id");
    expect(rows).toEqual([
      { request_id: first, charged: true, reference: "" },
      { request_id: again.headers.get("x-request-id"), charged: false, reference: first },
    ]);
  });

  test("replays of what is large take little memory, however slowly they are read", async () => {
    const inputs = Array.from({ length: 300 }, (_, index) => `text ${index}`);
    const large = {
      model: "test-embed",
      input: inputs,
      dimensions: 4_096,
      encoding_format: "float",
    };
    const options = { path: "/v1/embeddings", owner: await stack.newAccount(1) };
    const original = await ask("large", large, options);
    expect(original.text.length).toBeGreaterThan(15_000_000);
    const before = stack.memoryBytes();
    const slow = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const response = await fetch(`${stack.url}/v1/embeddings`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${options.owner.key}`,
            "idempotency-key": "large",
          },
          body: JSON.stringify(large),
        });
        expect(response.headers.get("idempotency-replayed")).toBe("true");
        return response;
      }),
    );
    expect(stack.memoryBytes() - before).toBeLessThan(200_000_000);
    const [first, ...others] = slow;
    expect(await first?.text()).toBe(original.text);
    expect(first?.headers.get("content-length")).toBe(String(original.text.length));
    for (const { body } of others) await body?.cancel();
  });

  test("without a database a keyed request is refused, and not run", async () => {
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    await database.query("ALTER TABLE edge.idempotency_record RENAME TO away");
    const answer = await ask("no-table", chatBody({ user: "no-table" }));
    await database.query("ALTER TABLE edge.away RENAME TO idempotency_record");
    await database.end();
    expectEnvelope(answer, 503, "no_provider_available");
    expect(providerCalls("no-table")).toEqual([]);
    expect((await ask("no-table", chatBody({ user: "no-table" }))).status).toBe(200);
  });

  test("a header that comes twice is one key that is not usable", async () => {
    const body = JSON.stringify(chatBody());
    const socket = connect(Number(new URL(stack.url).port), "127.0.0.1");
    const head = [
      "POST /v1/chat/completions HTTP/1.1",
      "host: x",
      `authorization: Bearer ${account.key}`,
      "idempotency-key: a",
      "idempotency-key: b",
      `content-length: ${body.length}`,
      "connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
    let text = "";
    for await (const part of socket) text += String(part);
    expect(text).toContain("HTTP/1.1 400");
    expect(text).toContain("Idempotency-Key");
  });
});
