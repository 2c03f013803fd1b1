import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { expectBooksInOrder, nanoUsd, readBooks } from "../src/ledger-books.ts";
import { type Answer, chatBody, send } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

describe("outages", () => {
  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(1);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  function ask(more: Record<string, unknown> = {}): Promise<Answer> {
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody(more) });
  }

  async function expectPaid(answer: Answer): Promise<void> {
    expect(answer.status).toBe(200);
    const told = nanoUsd((answer.body as { usage: { cost: number } }).usage.cost);
    await vi.waitFor(
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
    const name = new URL(stack.databaseUrl).pathname.slice(1);
    const adminUrl = new URL(stack.databaseUrl);
    adminUrl.pathname = "/postgres";
    const admin = new pg.Client({ connectionString: adminUrl.toString() });
    await admin.connect();
    await admin.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [
      name,
    ]);
    const refused = await ask({ user: "no-database" });
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { code: "no_provider_available", type: "api_error" } },
    });
    const journal = await send(`${stack.simulator.url}/_simulator/journal?user=no-database`);
    expect(journal.body).toEqual([]);
    const health = await send(`${stack.url}/v1/health`);
    expect(health.status).toBe(200);
    await admin.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
    await admin.end();
    await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 10_000 });
    await expectPaid(await ask());
  });
});
