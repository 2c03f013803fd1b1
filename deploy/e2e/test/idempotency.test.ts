import { once } from "node:events";
import { connect } from "node:net";
import OpenAI from "openai";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { expectReplay, idempotencyClient } from "../src/idempotency-client.ts";
import { readWalletRow } from "../src/ledger.ts";
import { chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { specialtyRoutes } from "../src/specialty-routes.ts";
import type { TestAccount } from "../src/stack.ts";

const { stack, account, expectBooks } = await sharedStack({ creditUsd: 50 });
const replica = await stack.replica();
const post = idempotencyClient(stack, account);

describe("idempotency", () => {
  function providerCalls(user: string) {
    return stack.simulator.calls.list({ user });
  }

  async function charges(owner: TestAccount): Promise<bigint[]> {
    const { entries } = await readWalletRow(stack, owner);
    return entries.filter(({ amount }) => amount < 0n).map(({ amount }) => amount);
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
    const original = await post("again", body, { path, owner });
    expect(original.status).toBe(200);
    const before = stack.simulator.calls.list().length;
    for (const url of [stack.url, replica.url, stack.url]) {
      expectReplay(await post("again", body, { path, url, owner }), original);
    }
    expect(stack.simulator.calls.list()).toHaveLength(before);
    await expectBooks();
    expect(await charges(owner)).toHaveLength(1);
  });

  test.each(routes)("%s refuses the key with another body: %j", async (path, body) => {
    const key = `other ${path} ${JSON.stringify(body)}`.replace(/[^a-z]/g, "");
    expect((await post(key, body, { path })).status).toBe(200);
    const response = await post(key, JSON.stringify(body, null, 1), { path, url: replica.url });
    expectEnvelope(response, 409, "idempotency_key_reused");
    expect(response.headers.get("x-should-retry")).toBe("false");
  });

  test("the same body on another path is another request", async () => {
    const body = { model: "test-embed", input: "x" };
    expect((await post("path", body, { path: "/v1/embeddings" })).status).toBe(200);
    const response = await post("path", body, { path: "/v1/rerank" });
    expectEnvelope(response, 409, "idempotency_key_reused");
  });

  test("the same idempotency key under another API key is independent", async () => {
    const other = await stack.newAccount(1);
    const first = await post("mine", chatBody());
    const second = await post("mine", chatBody({ n: 2 }), { owner: other });
    expect([first.status, second.status]).toEqual([200, 200]);
  });

  test("of an empty wallet, a body is read only to replay, and up to 1 MiB", async () => {
    const owner = await stack.newAccount(1);
    const original = await post("paid", chatBody(), { owner });
    expect(original.status).toBe(200);
    await emptyWallet(owner);
    const request = { key: owner.key, body: chatBody() };
    await eventually(async () =>
      expect((await send(`${stack.url}/v1/chat/completions`, request)).status).toBe(402),
    );
    const start = (key: string, length: number) => firstResponse(owner, key, length);
    // Only the start of the bodies is sent.
    expect(await start("unused", 1_000)).toMatch(
      /^HTTP\/1\.1 402 [\s\S]*"credit_balance_exhausted"/,
    );
    expect(await start("paid", 1_100_000)).toMatch(/^HTTP\/1\.1 402 /);
    expectReplay(await post("paid", chatBody(), { owner }), original);
    expectEnvelope(
      await post("paid", chatBody({ n: 2 }), { owner }),
      409,
      "idempotency_key_reused",
    );
    expectEnvelope(await post("unused", chatBody(), { owner }), 402, "credit_balance_exhausted");
  });

  /** Spends what an account has. */
  async function emptyWallet(owner: TestAccount): Promise<void> {
    const { balance } = await readWalletRow(stack, owner);
    await stack.operator.adjustWallet({
      account: owner.accountId,
      amountNanoUsd: -balance,
      reason: "a test",
      reference: `empty ${owner.accountId}`,
    });
  }

  /** Sends the head of a request and the start of its body. Resolves with the start of the response. */
  async function firstResponse(owner: TestAccount, key: string, length: number): Promise<string> {
    const { hostname, port } = new URL(stack.url);
    const socket = connect(Number(port), hostname);
    const lines = [
      "POST /v1/chat/completions HTTP/1.1",
      "host: x",
      `authorization: Bearer ${owner.key}`,
      `idempotency-key: ${key}`,
      `content-length: ${length}`,
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n{"model":`);
    const [data] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return String(data);
  }

  test.each([
    ["empty", ""],
    ["too long", "x".repeat(256)],
    ["with a space", "a b"],
    ["not ASCII", "clé"],
  ])("a key that is %s is refused by name", async (_, key) => {
    expectEnvelope(await post(key, chatBody()), 400, "invalid_param", "Idempotency-Key");
  });

  test("a key of 255 characters is accepted", async () => {
    expect((await post("~".repeat(255), chatBody())).status).toBe(200);
  });

  test("50 concurrent requests on two replicas: one provider call, one charge, 49 replays", async () => {
    for (const [round, stream] of [false, true].entries()) {
      const owner = await stack.newAccount(1);
      const user = `fifty-${round}`;
      const body = chatBody({ user, stream, ...simulate("delay_ms=300") });
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          post("fifty", body, { owner, url: index % 2 === 0 ? stack.url : replica.url }),
        ),
      );
      const originals = responses.filter(({ headers }) => !headers.has("idempotency-replayed"));
      expect(originals).toHaveLength(1);
      for (const response of responses) {
        if (response !== originals[0]) expectReplay(response, originals[0] as HttpResponse);
      }
      expect(providerCalls(user)).toHaveLength(1);
      await expectBooks();
      expect(await charges(owner)).toHaveLength(1);
    }
  });

  test("another body is refused at once while the first request runs", async () => {
    const first = post("busy", chatBody({ user: "busy", ...simulate("delay_ms=4000") }));
    await eventually(() => expect(providerCalls("busy")).toHaveLength(1));
    expectEnvelope(await post("busy", chatBody()), 409, "idempotency_key_reused");
    stack.simulator.release();
    expect((await first).status).toBe(200);
  });

  test("a key stays bound to its body after a failure, and is free again after a refusal", async () => {
    const owner = await stack.newAccount(1);
    const failing = chatBody({ user: "bound", ...simulate("status=500") });
    expectEnvelope(await post("bound", failing, { owner }), 502, "upstream_rejected");
    expectEnvelope(await post("bound", chatBody(), { owner }), 409, "idempotency_key_reused");
    expectEnvelope(await post("bound", { n: 0 }, { owner }), 409, "idempotency_key_reused");
    for (const [refused, code, status] of [
      [chatBody({ model: "nobody" }), "model_not_found", 404],
      [chatBody({ n: 0 }), "invalid_param", 400],
    ] as const) {
      const response = await post(code, refused, { owner });
      expect([response.status, response.text]).toEqual([status, expect.stringContaining(code)]);
      expect((await post(code, chatBody(), { owner })).status).toBe(200);
    }
  });

  test("failures and refusals are not stored: the retry runs", async () => {
    const user = "retried";
    const body = chatBody({ user, ...simulate("fail_first=1&status=400&id=retried") });
    expectEnvelope(await post("retried", body), 502, "upstream_rejected");
    const second = await post("retried", body);
    expect([second.status, second.headers.get("idempotency-replayed")]).toEqual([200, null]);
    expectReplay(await post("retried", body), second);
    expectEnvelope(await post("bad", chatBody({ n: 0 })), 400, "invalid_param", "n");
    expect((await post("bad", chatBody())).status).toBe(200);
  });

  test("a stream that breaks is not stored: the waiting duplicate runs", async () => {
    const body = chatBody({ model: "test-cut", stream: true });
    const startedAt = performance.now();
    const responses = await Promise.all([post("broken", body), post("broken", body)]);
    // Far less than the lease of a killed process.
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    for (const response of responses) {
      expect(eventsOf(response.text).at(-1)).toMatchObject({
        error: { code: "upstream_rejected" },
      });
      expect(response.headers.get("idempotency-replayed")).toBeNull();
    }
  });

  test("a replay needs no money, a new request does", async () => {
    const poor = await stack.newAccount(0.000001);
    const first = await post("poor", chatBody(), { owner: poor });
    expect(first.status).toBe(200);
    await expectBooks();
    expect((await readWalletRow(stack, poor)).balance).toBe(0n);
    expectReplay(await post("poor", chatBody(), { owner: poor }), first);
    const other = await post("poor", chatBody({ n: 2 }), { owner: poor });
    expectEnvelope(other, 409, "idempotency_key_reused");
    await eventually(
      async () => {
        const broke = await post("poor-2", "{", { owner: poor });
        expectEnvelope(broke, 402, "credit_balance_exhausted");
      },
      { timeout: 5_000, interval: 200 },
    );
  });

  test.each([
    false,
    true,
  ])("a client that disconnects does not cancel its request (stream: %s)", async (stream) => {
    const user = `disconnected-${stream}`;
    const body = chatBody({ user, stream, ...simulate("chunks=5&gap_ms=100&delay_ms=200") });
    const disconnecting = new AbortController();
    const abandoned = fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "idempotency-key": user },
      body: JSON.stringify(body),
      signal: disconnecting.signal,
    }).then((response) => response.text());
    await eventually(() => expect(providerCalls(user)).toHaveLength(1));
    disconnecting.abort();
    await expect(abandoned).rejects.toThrow();
    const response = await post(user, body, { url: replica.url });
    expect(response.status).toBe(200);
    expect(response.headers.get("idempotency-replayed")).toBe("true");
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

  test("replays carry the rate limit headers", async () => {
    const responses = [await post("rates", chatBody()), await post("rates", chatBody())];
    for (const { headers } of responses) {
      expect(headers.get("x-ratelimit-remaining-requests")).toMatch(/^\d+$/);
    }
  });

  test("a retry does not repeat a charge whose response was lost", async () => {
    const owner = await stack.newAccount(1);
    const original = await post("lost", chatBody(), { owner });
    await expectBooks();
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    // The record of a process that died after the charge and before it stored the response.
    await database.query(
      `UPDATE edge.idempotency_record SET stored_at = NULL, body = NULL, lease_until = now()
       WHERE key_id = $1`,
      [owner.keyId],
    );
    const again = await post("lost", chatBody(), { owner });
    expect(again.headers.get("x-request-id")).not.toBe(original.headers.get("x-request-id"));
    await expectBooks();
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

  test("without a database a keyed request is refused, and not run", async () => {
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    await database.query("ALTER TABLE edge.idempotency_record RENAME TO away");
    const response = await post("no-table", chatBody({ user: "no-table" }));
    await database.query("ALTER TABLE edge.away RENAME TO idempotency_record");
    await database.end();
    expectEnvelope(response, 503, "no_provider_available");
    expect(providerCalls("no-table")).toEqual([]);
    expect((await post("no-table", chatBody({ user: "no-table" }))).status).toBe(200);
  });

  test("a repeated header is an invalid key", async () => {
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
