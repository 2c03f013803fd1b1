import { PeerError } from "@tollgate/core/errors";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createLedgerDatabase, openLedger, openWallet, readWallet } from "./books.ts";
import { type RunningLedger, runLedger } from "./running-ledger.ts";

describe("a hold that is granted when its caller has gone", () => {
  let pool: pg.Pool;
  let ledger: RunningLedger;

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    pool = await openLedger(url);
    ledger = await runLedger(url);
  });

  afterAll(async () => {
    await ledger.stop();
    await pool.end();
  });

  /** Lets the call run out of time, and then has it granted. */
  async function grantLate(call: (accountId: string) => Promise<unknown>): Promise<string> {
    const accountId = await openWallet(pool, 1_000_000n);
    const lock = await pool.connect();
    await lock.query("BEGIN");
    await lock.query("SELECT FROM wallet WHERE account_id = $1 FOR UPDATE", [accountId]);
    await expect(call(accountId)).rejects.toBeInstanceOf(PeerError);
    await lock.query("COMMIT");
    lock.release();
    return accountId;
  }

  test.each(["hold", "shareHold"] as const)("is released by itself: %s", async (name) => {
    const { client } = ledger;
    const order = (accountId: string, id: string) => ({
      holdId: `${accountId}-${id}`,
      accountId,
      estimateNanoUsd: 1_000n,
      amountNanoUsd: 1_000n,
    });
    const accountId = await grantLate((owner) =>
      client[name](order(owner, "late"), { timeoutMs: 50 }),
    );
    // Granted after the late one, of which it tells unless that is gone already.
    await client.hold(order(accountId, "next"));
    await expect
      .poll(async () => (await readWallet(pool, accountId))?.held, { timeout: 5_000 })
      .toBe(1_000n);
  });
});
