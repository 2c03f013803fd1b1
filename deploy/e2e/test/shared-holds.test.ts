import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, send, simulate } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

const clients = 8;

describe.each([
  ["", 60],
  [" where holds are short", 3],
])("an account that is busy%s", (_where, holdSeconds) => {
  let stack: Stack;
  let pool: pg.Pool;

  beforeAll(async () => {
    stack = await startStack({
      TOLLGATE_HOLD_SECONDS: String(holdSeconds),
      TOLLGATE_SHARE_HOLDS_FROM: "2",
    });
    pool = new pg.Pool({ connectionString: stack.databaseUrl });
  });

  afterEach(async () => {
    await expectBooksInOrder(stack);
  });

  afterAll(async () => {
    await pool.end();
    await stack.stop();
  });

  /** The requests of some clients that ask on and on, and what they were told to pay. */
  function keepBusy(account: Account) {
    const told = { costs: [] as bigint[], refused: 0 };
    let asks = true;
    async function client(): Promise<void> {
      while (asks) {
        const body = chatBody(simulate("delay_ms=20"));
        const answer = await send(`${stack.url}/v1/chat/completions`, { key: account.key, body });
        if (answer.status === 402) told.refused += 1;
        if (answer.status !== 200) continue;
        const { usage } = answer.body as { usage: { cost: number } };
        told.costs.push(nanoUsd(usage.cost));
      }
    }
    const ended = Promise.allSettled(Array.from({ length: clients }, client));
    return {
      told,
      async stop() {
        asks = false;
        await ended;
      },
    };
  }

  async function sharedHolds({ accountId }: Account): Promise<number> {
    const { rows } = await pool.query<{ count: string }>(
      "SELECT count(*) FROM ledger.hold WHERE account_id = $1 AND id LIKE 'hold\\_%'",
      [accountId],
    );
    return Number(rows[0]?.count);
  }

  test("shares holds, pays what it is told, and has all of its money free again", async () => {
    const account = await stack.newAccount(10);
    const busy = keepBusy(account);
    await eventually(async () => expect(await sharedHolds(account)).toBeGreaterThan(0));
    const before = busy.told.costs.length;
    await eventually(async () => expect(busy.told.costs.length).toBeGreaterThan(before + 100));
    await busy.stop();
    const paid = busy.told.costs.reduce((sum, cost) => sum + cost, 0n);
    await eventually(async () => {
      const { balance, held } = await readBooks(stack, account);
      expect([balance, held]).toEqual([10_000_000_000n - paid, 0n]);
    });
    expect(busy.told.refused).toBe(0);
  });

  test("spends a wallet to its end", async () => {
    const account = await stack.newAccount(0.0005);
    const busy = keepBusy(account);
    await eventually(async () => expect(busy.told.refused).toBeGreaterThan(0), { timeout: 10_000 });
    await busy.stop();
    const paid = busy.told.costs.reduce((sum, cost) => sum + cost, 0n);
    await eventually(async () => {
      const { balance, held } = await readBooks(stack, account);
      expect([balance, held]).toEqual([500_000n - paid, 0n]);
    });
  });

  test.runIf(holdSeconds < 10)(
    "has its money back from a process that was killed with it",
    async () => {
      const account = await stack.newAccount(10);
      const busy = keepBusy(account);
      await eventually(async () => expect(await sharedHolds(account)).toBeGreaterThan(0));
      await stack.killChat();
      await busy.stop();
      await eventually(async () => expect((await readBooks(stack, account)).held).toBe(0n), {
        timeout: 15_000,
      });
      const { balance } = await readBooks(stack, account);
      const paid = busy.told.costs.reduce((sum, cost) => sum + cost, 0n);
      // What was answered to nobody is charged all the same, where its answer was whole.
      expect(balance).toBeLessThanOrEqual(10_000_000_000n - paid);
    },
  );
});
