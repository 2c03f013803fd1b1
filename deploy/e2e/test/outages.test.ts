import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { usageStream } from "@tollgate/metering/broker/usage-stream";
import { connect } from "nats";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { eventually } from "../src/eventually.ts";
import { expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { type Answer, chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

/** A hold that nobody extends lives 60 seconds. */
const expiredMs = 75_000;

describe("outages", () => {
  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_MISSING_AFTER_SECONDS: "2" });
    account = await stack.newAccount(1);
  });

  afterEach(() => expectBooksInOrder(stack));
  afterAll(() => stack.stop());

  function ask(more: Record<string, unknown> = {}): Promise<Answer> {
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody(more) });
  }

  async function expectPaid(answer: Answer): Promise<void> {
    expect(answer.status).toBe(200);
    const told = nanoUsd((answer.body as { usage: { cost: number } }).usage.cost);
    await eventually(
      async () => {
        const { entries } = await readBooks(stack, account);
        const id = answer.headers.get("x-request-id");
        expect(entries.find((entry) => entry.requestId === id)?.amount).toBe(-told);
      },
      { timeout: 10_000 },
    );
  }

  test("a broker that is away costs nobody an answer or a charge, nor does its return", async () => {
    await expectPaid(await ask());
    const startAgain = await stack.stopBroker();
    await expectPaid(await ask());
    await Promise.all(Array.from({ length: 20 }, async () => expectPaid(await ask())));
    await startAgain();
    await expectPaid(await ask());
  });

  test("without a database no provider is called, and all is well when it is back", async () => {
    await expectPaid(await ask());
    const startAgain = await stack.stopDatabase();
    const refused = await ask({ user: "no-database" });
    // It is the key that cannot be looked up, or the hold that cannot be taken.
    const { code } = (refused.body as { error: { code: string } }).error;
    expect([
      [500, "internal_error"],
      [503, "no_provider_available"],
    ]).toContainEqual([refused.status, code]);
    const journal = await send(`${stack.simulator.url}/_simulator/calls?user=no-database`);
    expect(journal.body).toEqual([]);
    const health = await send(`${stack.url}/v1/health`);
    expect(health.status).toBe(200);
    await startAgain();
    await eventually(async () => expect((await ask()).status).toBe(200), { timeout: 10_000 });
    await expectPaid(await ask());
  });

  test(
    "a stream that ends while broker and ledger are away is paid after a kill and a restart",
    async () => {
      const user = "ends-alone";
      const body = chatBody({ user, stream: true, ...simulate("chunks=10&gap_ms=200") });
      const streaming = send(`${stack.url}/v1/chat/completions`, { key: account.key, body });
      await eventually(() => {
        expect(stack.simulator.calls.list({ user })[0]?.chunksSent).toBeGreaterThan(1);
      });
      const startBroker = await stack.stopBroker();
      const startDatabase = await stack.stopDatabase();
      const answer = await streaming;
      const events = eventsOf(answer.text);
      expect(events.at(-1)).toBe("[DONE]");
      // A gateway that starts needs its database.
      await startDatabase();
      await stack.killChat();
      await startBroker();
      await expectPaid({ ...answer, body: events.at(-2) });
      // What a killed process shared or had not given back is free when it expires.
      await expectBooksInOrder(stack, expiredMs);
    },
    2 * expiredMs,
  );

  test("what a broker lost after it took it is handed to the ledger", async ({ skip }) => {
    const { natsUrl } = stack;
    if (natsUrl === undefined) return skip("there is no broker");
    const nats = await connect({ servers: natsUrl });
    const manager = await nats.jetstreamManager();
    const published = async () => (await manager.streams.info(usageStream.name)).state.messages;
    await eventually(
      async () => {
        const before = await published();
        await expectPaid(await ask());
        expect(await published()).toBeGreaterThan(before);
      },
      { timeout: 20_000 },
    );
    const database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    await database.query(
      "ALTER TABLE ledger.entry ADD CONSTRAINT closed CHECK (alias <> 'test-vision') NOT VALID",
    );
    const before = await published();
    const answer = await ask({ model: "test-vision" });
    expect(answer.status).toBe(200);
    expect(await published()).toBe(before + 1);
    await manager.streams.delete(usageStream.name);
    await nats.close();
    await database.query("ALTER TABLE ledger.entry DROP CONSTRAINT closed");
    await database.end();
    await expectPaid(answer);
    await expectPaid(await ask());
  });

  test("no provider is blamed for a service that is away, on a route that asks none", async ({
    skip,
  }) => {
    const { killService, url } = stack;
    if (killService === undefined) return skip("all is one process");
    const { accountId, key } = await stack.newAccount(1);
    const channel = await stack.operator.createKey({ account: accountId, channel: "settlement" });
    const upgrade = async () => {
      const headers = { authorization: `Bearer ${key}` };
      const live = `${url.replace("http", "ws")}/v1/audio/transcriptions/stream`;
      const socket = new WebSocket(live, { headers });
      const [, response] = await once(socket, "unexpected-response");
      return (response as IncomingMessage).statusCode;
    };
    const startBilling = await killService("billing");
    for (const path of ["models", "models/test-small", "credits", "conversations"]) {
      expectEnvelope(await send(`${url}/v1/${path}`, { key }), 500, "internal_error");
    }
    const settled = { key: channel.key, body: { requestIds: [] } };
    expectEnvelope(await send(`${url}/v1/hf/billing`, settled), 500, "internal_error");
    expect(await upgrade()).toBe(500);
    const paid = await send(`${url}/v1/chat/completions`, { key, body: chatBody() });
    expectEnvelope(paid, 503, "no_provider_available");
    await startBilling();
    await eventually(async () => {
      expect((await send(`${url}/v1/credits`, { key })).status).toBe(200);
    });
    const startAgain = [await killService("chat"), await killService("audio")];
    for (const path of ["conversations", `conversations/${randomUUID()}`]) {
      for (const method of ["GET", "DELETE"]) {
        const answer = await send(`${url}/v1/${path}`, { key, method });
        expectEnvelope(answer, 500, "internal_error");
      }
    }
    expect(await upgrade()).toBe(500);
    for (const start of startAgain) await start();
    await eventually(async () => {
      expect((await send(`${url}/v1/conversations`, { key })).status).toBe(200);
    });
  });
});
