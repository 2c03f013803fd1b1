import { PeerError } from "@tollgate/core/errors";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openWallet, readWallet } from "./ledger-database.ts";
import { type LedgerWithDatabase, startLedger } from "./running-ledger.ts";

describe("a hold that is granted after its caller timed out", () => {
  let ledger: LedgerWithDatabase;

  beforeAll(async () => {
    ledger = await startLedger(inject("postgresUrl"));
  });

  afterAll(() => ledger.stop());

  /** Locks the wallet until the call times out. Then the ledger grants the hold. */
  async function grantLate(call: (accountId: string) => Promise<unknown>): Promise<string> {
    const accountId = await openWallet(ledger.pool, 1_000_000n);
    const lock = await ledger.pool.connect();
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
      .poll(async () => (await readWallet(ledger.pool, accountId))?.held, { timeout: 5_000 })
      .toBe(1_000n);
  });
});
