import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { expectBalancedLedger, readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, send, simulate } from "../src/request.ts";
import { chatServices, type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

const clients = 8;

const holds: [string, number][] = [[" with short holds", 3]];
// Starting a fleet is slow, so holds of the default length are tested against one process.
if (inject("shape") === "all") holds.push(["", 60]);

describe.each(holds)("a busy account%s", (_where, holdSeconds) => {
  let stack: OwnStack;
  let pool: pg.Pool;

  beforeAll(async () => {
    stack = await startStack(
      {
        TOLLGATE_HOLD_SECONDS: String(holdSeconds),
        TOLLGATE_SHARE_HOLDS_FROM: "2",
      },
      { services: chatServices },
    );
    pool = new pg.Pool({ connectionString: stack.databaseUrl });
  });

  afterEach(async () => {
    await expectBalancedLedger(stack);
  });

  afterAll(async () => {
    await pool.end();
    await stack.stop();
  });

  /** Starts clients that send requests without pause, and collects the costs they are reported. */
  function keepBusy(account: TestAccount) {
    const reported = { costs: [] as bigint[], refused: 0 };
    let isRunning = true;
    async function client(): Promise<void> {
      while (isRunning) {
        const body = chatBody(simulate("delay_ms=20"));
        const response = await send(`${stack.url}/v1/chat/completions`, { key: account.key, body });
        if (response.status === 402) reported.refused += 1;
        if (response.status !== 200) continue;
        const { usage } = response.body as { usage: { cost: number } };
        reported.costs.push(nanoUsd(usage.cost));
      }
    }
    const ended = Promise.allSettled(Array.from({ length: clients }, client));
    return {
      reported,
      async stop() {
        isRunning = false;
        await ended;
      },
    };
  }

  async function sharedHolds({ accountId }: TestAccount): Promise<number> {
    const { rows } = await pool.query<{ count: string }>(
      "SELECT count(*) FROM ledger.hold WHERE account_id = $1 AND id LIKE 'hold\\_%'",
      [accountId],
    );
    return Number(rows[0]?.count);
  }

  test("shares holds, pays as reported, and releases all of its money", async () => {
    const account = await stack.newAccount(10);
    const busy = keepBusy(account);
    await eventually(async () => expect(await sharedHolds(account)).toBeGreaterThan(0));
    const before = busy.reported.costs.length;
    await eventually(async () => expect(busy.reported.costs.length).toBeGreaterThan(before + 100));
    await busy.stop();
    const paid = busy.reported.costs.reduce((sum, cost) => sum + cost, 0n);
    await eventually(async () => {
      const { balance, held } = await readWalletRow(stack, account);
      expect([balance, held]).toEqual([10_000_000_000n - paid, 0n]);
    });
    expect(busy.reported.refused).toBe(0);
  });

  test("spends a wallet completely", async () => {
    const account = await stack.newAccount(0.0005);
    const busy = keepBusy(account);
    await eventually(async () => expect(busy.reported.refused).toBeGreaterThan(0), {
      timeout: 10_000,
    });
    await busy.stop();
    const paid = busy.reported.costs.reduce((sum, cost) => sum + cost, 0n);
    await eventually(async () => {
      const { balance, held } = await readWalletRow(stack, account);
      expect([balance, held]).toEqual([500_000n - paid, 0n]);
    });
  });

  /** Begins requests that a provider does not respond to. Resolves with their ids, once it has them. */
  async function beginSlow({ accountId: user, key }: TestAccount, count: number) {
    const body = { ...chatBody(simulate("delay_ms=600000")), user };
    const url = `${stack.url}/v1/chat/completions`;
    const sent = Array.from({ length: count }, () => send(url, { key, body }).catch(() => {}));
    const ids = await eventually(() => {
      const calls = stack.simulator.calls.list({ user });
      expect(calls).toHaveLength(count);
      return calls.map(({ requestId }) => requestId ?? "");
    });
    return { ids, ended: Promise.all(sent) };
  }

  test.runIf(holdSeconds < 10)(
    "gets back the money that a killed process held, and one failure of each request",
    async () => {
      const account = await stack.newAccount(10);
      const busy = keepBusy(account);
      await eventually(async () => expect(await sharedHolds(account)).toBeGreaterThan(0));
      const slow = await beginSlow(account, 6);
      const ids = [slow.ids];
      const own = await pool.query("SELECT FROM ledger.hold WHERE id = ANY ($1)", ids);
      expect(own.rowCount, "some have a part of a shared hold").toBeLessThan(slow.ids.length);
      // These begin later. By then, the slow ones are on disk.
      const before = busy.reported.costs.length;
      const enough = before + 2 * clients;
      await eventually(() => expect(busy.reported.costs.length).toBeGreaterThan(enough));
      await stack.killChat();
      await busy.stop();
      await slow.ended;
      await eventually(async () => expect((await readWalletRow(stack, account)).held).toBe(0n), {
        timeout: 15_000,
      });
      const { balance } = await readWalletRow(stack, account);
      const paid = busy.reported.costs.reduce((sum, cost) => sum + cost, 0n);
      // A complete response is charged even when it reached no client.
      expect(balance).toBeLessThanOrEqual(10_000_000_000n - paid);
      const failures = slow.ids.map((id) => ({ id, kind: "failure", amount: "0" }));
      const text = `SELECT request_id AS id, kind, amount_nano_usd::text AS amount FROM ledger.entry
      WHERE request_id = ANY ($1) ORDER BY id`;
      await eventually(
        async () => expect((await pool.query(text, ids)).rows).toEqual(failures.toSorted(byId)),
        // Those with holds of their own are recorded three times as long as a hold lasts after its end.
        { timeout: 40_000 },
      );
    },
  );
});

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1;
}
