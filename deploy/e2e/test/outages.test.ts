import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { usageStream } from "@tollgate/metering/broker/usage-stream";
import { natsAddress } from "@tollgate/runtime/broker/nats-address";
import { connect } from "nats";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { expectBalancedLedger, readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

/** A hold that is not extended expires after 60 seconds. */
const expiredMs = 75_000;

describe("outages", () => {
  let stack: OwnStack;
  let account: TestAccount;

  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_MISSING_AFTER_SECONDS: "2" });
    account = await stack.newAccount(1);
  });

  afterEach(() => expectBalancedLedger(stack));
  afterAll(() => stack.stop());

  function post(more: Record<string, unknown> = {}): Promise<HttpResponse> {
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody(more) });
  }

  async function expectPaid(response: HttpResponse): Promise<void> {
    expect(response.status, response.text).toBe(200);
    const reported = nanoUsd((response.body as { usage: { cost: number } }).usage.cost);
    await eventually(
      async () => {
        const { entries } = await readWalletRow(stack, account);
        const id = response.headers.get("x-request-id");
        expect(entries.find((entry) => entry.requestId === id)?.amount).toBe(-reported);
      },
      { timeout: 10_000 },
    );
  }

  test("no response and no charge is lost while the broker is down, nor when it returns", async () => {
    await expectPaid(await post());
    const startAgain = await stack.stopBroker();
    await expectPaid(await post());
    await Promise.all(Array.from({ length: 20 }, async () => expectPaid(await post())));
    await startAgain();
    await expectPaid(await post());
  });

  test("without a database no provider is called, and requests succeed when it returns", async () => {
    await expectPaid(await post());
    const startAgain = await stack.stopDatabase();
    try {
      const refused = await post({ user: "no-database" });
      // Either the key lookup or the hold fails.
      const { code } = (refused.body as { error: { code: string } }).error;
      expect([
        [500, "internal_error"],
        [503, "no_provider_available"],
      ]).toContainEqual([refused.status, code]);
      const callLog = await send(`${stack.simulator.url}/_simulator/calls?user=no-database`);
      expect(callLog.body).toEqual([]);
      const health = await send(`${stack.url}/v1/health`);
      expect(health.status).toBe(200);
    } finally {
      await startAgain();
    }
    await eventually(async () => expect((await post()).status).toBe(200), { timeout: 10_000 });
    await expectPaid(await post());
  });

  test(
    "a stream that ends while broker and ledger are down is charged after a kill and a restart",
    async () => {
      const user = "ends-alone";
      const body = chatBody({ user, stream: true, ...simulate("chunks=10&gap_ms=200") });
      const streaming = send(`${stack.url}/v1/chat/completions`, { key: account.key, body });
      await eventually(() => {
        expect(stack.simulator.calls.list({ user })[0]?.chunksSent).toBeGreaterThan(1);
      });
      const startBroker = await stack.stopBroker();
      const startDatabase = await stack.stopDatabase();
      const response = await streaming;
      const events = eventsOf(response.text);
      expect(events.at(-1)).toBe("[DONE]");
      // A gateway needs its database to start.
      await startDatabase();
      await stack.killChat();
      await startBroker();
      await expectPaid({ ...response, body: events.at(-2) });
      // The holds of a killed process expire.
      await expectBalancedLedger(stack, expiredMs);
    },
    2 * expiredMs,
  );

  test("an event that the broker acknowledged and lost is sent to the ledger", async ({ skip }) => {
    const { natsUrl } = stack;
    if (natsUrl === undefined) return skip("there is no broker");
    const nats = await connect(natsAddress(natsUrl));
    const manager = await nats.jetstreamManager();
    const published = async () => (await manager.streams.info(usageStream.name)).state.messages;
    await eventually(
      async () => {
        const before = await published();
        await expectPaid(await post());
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
    const response = await post({ model: "test-vision" });
    expect(response.status).toBe(200);
    expect(await published()).toBe(before + 1);
    await manager.streams.delete(usageStream.name);
    await nats.close();
    await database.query("ALTER TABLE ledger.entry DROP CONSTRAINT closed");
    await database.end();
    await expectPaid(response);
    await expectPaid(await post());
  });

  test("a service that is down is a 500 on routes that call no provider", async ({ skip }) => {
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
    const settled = { key: channel.key, body: { requestIds: [] } };
    // A call to a service that is down fails at its deadline, so these wait at the same time.
    const [paid, status, ...failed] = await Promise.all([
      send(`${url}/v1/chat/completions`, { key, body: chatBody() }),
      upgrade(),
      send(`${url}/v1/hf/billing`, settled),
      ...["models", "models/test-small", "credits", "conversations"].map((path) =>
        send(`${url}/v1/${path}`, { key }),
      ),
    ]);
    for (const response of failed) expectEnvelope(response, 500, "internal_error");
    expect(status).toBe(500);
    expectEnvelope(paid, 503, "no_provider_available");
    await startBilling();
    await eventually(async () => {
      expect((await send(`${url}/v1/credits`, { key })).status).toBe(200);
    });
    const startAgain = [await killService("chat"), await killService("audio")];
    const calls = ["conversations", `conversations/${randomUUID()}`].flatMap((path) =>
      ["GET", "DELETE"].map((method) => send(`${url}/v1/${path}`, { key, method })),
    );
    const [liveStatus, ...responses] = await Promise.all([upgrade(), ...calls]);
    expect(liveStatus).toBe(500);
    for (const response of responses) expectEnvelope(response, 500, "internal_error");
    for (const start of startAgain) await start();
    await eventually(async () => {
      expect((await send(`${url}/v1/conversations`, { key })).status).toBe(200);
    });
  });
});
