import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatBody, expectEnvelope, send } from "../src/request.ts";
import { chatServices, type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

describe("a change of a key", () => {
  let stack: OwnStack;
  let urls: string[];

  beforeAll(async () => {
    stack = await startStack({}, { services: chatServices });
    urls = [stack.url, (await stack.addReplica()).url];
  });

  afterAll(() => stack.stop());

  const post = (url: string, { key }: TestAccount) =>
    send(`${url}/v1/chat/completions`, { key, body: chatBody() });

  /** Calls with a key on every replica, so that each has it in its cache, and then `change`. */
  async function changeCached(account: TestAccount, change: () => Promise<unknown>): Promise<void> {
    for (const url of urls) expect((await post(url, account)).status).toBe(200);
    await change();
  }

  async function expectStatus(
    account: TestAccount,
    status: number,
    withinMs: number,
  ): Promise<void> {
    await Promise.all(
      urls.map((url) =>
        expect
          .poll(async () => (await post(url, account)).status, { timeout: withinMs, interval: 50 })
          .toBe(status),
      ),
    );
  }

  async function expectRevoked(account: TestAccount, withinMs: number): Promise<void> {
    await expectStatus(account, 403, withinMs);
    for (const url of urls) expectEnvelope(await post(url, account), 403, "key_revoked");
  }

  /** How long a change may take on every replica. */
  const withinMs = 1_000;

  test("is in force on every replica within a second", async () => {
    const account = await stack.newAccount(1);
    await changeCached(account, () => stack.operator.revokeKey({ keyId: account.keyId }));
    await expectRevoked(account, withinMs);
  });

  test("is in force within a second without a broker, too", async () => {
    const account = await stack.newAccount(1);
    const startAgain = await stack.stopBroker();
    await changeCached(account, () => stack.operator.revokeKey({ keyId: account.keyId }));
    await expectRevoked(account, withinMs);
    await startAgain();
  });

  test("of its models is in force within a second without a broker", async () => {
    const account = await stack.newAccount(1);
    const startAgain = await stack.stopBroker();
    await changeCached(account, () =>
      stack.operator.updateKey({ keyId: account.keyId, models: { values: ["test-vision"] } }),
    );
    await expectStatus(account, 404, withinMs);
    await stack.operator.updateKey({ keyId: account.keyId, models: { values: [] } });
    await expectStatus(account, 200, withinMs);
    await startAgain();
  });

  test("is in force within five seconds if its notice is lost", async () => {
    const account = await stack.newAccount(1);
    await changeCached(account, async () => {
      const client = new pg.Client({ connectionString: stack.databaseUrl });
      await client.connect();
      await client.query("UPDATE billing.api_key SET revoked_at = now() WHERE id = $1", [
        account.keyId,
      ]);
      await client.end();
    });
    await expectRevoked(account, 5_500);
  });

  test("is in force within a second again after the database was away", async () => {
    const account = await stack.newAccount(1);
    const before = await listeners();
    expect(before).toBeGreaterThan(1);
    const startAgain = await stack.stopDatabase();
    await startAgain();
    await expect.poll(listeners, { timeout: 10_000 }).toBe(before);
    await changeCached(account, () => stack.operator.revokeKey({ keyId: account.keyId }));
    await expectRevoked(account, withinMs);
  });

  /** Returns how many processes have a connection for notices. */
  async function listeners(): Promise<number> {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity
       WHERE application_name = 'tollgate-notices' AND datname = current_database()
         AND query <> '' AND state = 'idle'`,
    );
    await client.end();
    return rows[0]?.count ?? 0;
  }
});
