import { PeerError } from "@tollgate/core/errors";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createLedgerDatabase, openLedger, openWallet, readWallet } from "./ledger-database.ts";
import { type RunningLedger, runLedger } from "./running-ledger.ts";

describe("a hold that is granted after its caller timed out", () => {
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

  /** Locks the wallet until the call times out. Then the ledger grants the hold. */
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

  test.each(["hold", "takeSharedHold"] as const)("is released by the ledger: %s", async (name) => {
    const { client } = ledger;
    const request = (accountId: string, id: string) => ({
      holdId: `${accountId}-${id}`,
      accountId,
      estimateNanoUsd: 1_000n,
      amountNanoUsd: 1_000n,
    });
    const accountId = await grantLate((owner) =>
      client[name](request(owner, "late"), { timeoutMs: 50 }),
    );
    // Granted after the late hold.
    await client.hold(request(accountId, "next"));
    await expect
      .poll(async () => (await readWallet(pool, accountId))?.held, { timeout: 5_000 })
      .toBe(1_000n);
  });
});
