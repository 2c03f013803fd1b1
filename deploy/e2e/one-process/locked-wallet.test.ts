import pg from "pg";
import { describe, expect, test } from "vitest";
import { readWalletRow } from "../src/ledger.ts";
import { chatBody, expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { specialtyRoutes } from "../src/specialty-routes.ts";

const { stack } = await sharedStack();

describe("while a wallet is locked", () => {
  test("its requests are refused with a 503 to retry in a second, and no provider is called", async () => {
    const account = await stack.newAccount(1);
    const { key, accountId } = account;
    const other = await stack.newAccount(1);
    const operator = new pg.Client({ connectionString: stack.databaseUrl });
    await operator.connect();
    await operator.query("BEGIN");
    const sql = "SELECT FROM ledger.wallet WHERE account_id = $1 FOR UPDATE";
    await operator.query(sql, [accountId]);
    const requests = [
      { path: "/v1/chat/completions", body: chatBody() },
      { path: "/v1/chat/completions", body: chatBody({ stream: true }) },
      ...specialtyRoutes.map(({ path, body }) => ({ path, body })),
    ];
    const refusals = await Promise.all(
      requests.map(({ path, body }) => send(`${stack.url}${path}`, { key, body })),
    );
    await operator.end();
    for (const refusal of refusals) {
      expectEnvelope(refusal, 503, "no_provider_available");
      expect(refusal.headers.get("retry-after")).toBe("1");
      expect(refusal.headers.get("x-should-retry")).toBe("true");
    }
    expect(stack.simulator.calls.list()).toEqual([]);
    for (const owner of [account, other]) {
      const served = await send(`${stack.url}/v1/chat/completions`, {
        key: owner.key,
        body: chatBody(),
      });
      expect(served.status).toBe(200);
    }
    expect((await readWalletRow(stack, account)).held).toBe(0n);
  });
});
