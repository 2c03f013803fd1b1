import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { releaseExpiredHolds, releaseHold } from "../src/release.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import { createLedgerDatabase, openLedger, openWallet, readWallet } from "./ledger-database.ts";

describe("holds", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  test("replicas that compete for the last money never grant it twice", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const replicas = Array.from({ length: 4 }, () => createHoldTaker(pool, 3_600_000));
    const grants = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        replicas[index % 4]?.({
          holdId: `${accountId}-${index}`,
          accountId,
          estimateNanoUsd: 3_000n,
        }),
      ),
    );
    const granted = grants.reduce((sum, grant) => sum + (grant?.heldNanoUsd ?? 0n), 0n);
    expect(granted).toBe(100_000n);
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 100_000n });
  });

  test("the holds of one batch are granted in their order, each from its own wallet", async () => {
    const rich = await openWallet(pool, 100_000n);
    const poor = await openWallet(pool, 5_000n);
    const take = createHoldTaker(pool, 3_600_000);
    const owners = [poor, rich, "acct_nobody", poor, rich, poor];
    const grants = await Promise.all(
      owners.map((accountId, index) =>
        take({ holdId: `${rich}-${index}`, accountId, estimateNanoUsd: 4_000n }),
      ),
    );
    const grantOf = (heldNanoUsd: bigint, walletHeldNanoUsd: bigint, balance: bigint) => ({
      heldNanoUsd,
      walletHeldNanoUsd,
      walletBalanceNanoUsd: balance,
    });
    expect(grants).toEqual([
      grantOf(4_000n, 4_000n, 5_000n),
      grantOf(4_000n, 4_000n, 100_000n),
      grantOf(0n, 0n, 0n),
      grantOf(1_000n, 5_000n, 5_000n),
      grantOf(4_000n, 8_000n, 100_000n),
      grantOf(0n, 5_000n, 5_000n),
    ]);
    expect(await readWallet(pool, poor)).toMatchObject({ held: 5_000n });
    expect(await readWallet(pool, rich)).toMatchObject({ held: 8_000n });
  });

  test("a request that its hold cannot pay is held only while nothing else of the wallet is", async () => {
    const accountId = await openWallet(pool, 13_000n);
    const take = createHoldTaker(pool, 3_600_000);
    const locks = createWalletLocks(pool);
    const takeOne = (id: string, estimateNanoUsd: bigint, aloneBelowNanoUsd: bigint) =>
      take({ holdId: `${accountId}-${id}`, accountId, estimateNanoUsd, aloneBelowNanoUsd });
    const release = (id: string) => releaseHold(pool, locks, `${accountId}-${id}`);
    expect(await takeOne("small", 10_000n, 1_000n)).toMatchObject({ heldNanoUsd: 10_000n });
    // In one statement: what an earlier one of it takes counts, too.
    const [costly, payable, next] = await Promise.all([
      takeOne("costly", 40_000n, 40_000n),
      takeOne("payable", 2_000n, 2_000n),
      takeOne("next", 2_000n, 2_000n),
    ]);
    expect(costly).toMatchObject({ heldNanoUsd: 0n, walletHeldNanoUsd: 10_000n });
    expect(payable).toMatchObject({ heldNanoUsd: 2_000n });
    expect(next).toMatchObject({ heldNanoUsd: 0n });
    await release("payable");
    await release("small");
    expect(await takeOne("last", 40_000n, 40_000n)).toMatchObject({ heldNanoUsd: 13_000n });
  });

  test("one invalid item of a batch fails alone", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const take = createHoldTaker(pool, 3_600_000);
    const takeOne = (holdId: string) =>
      take({ holdId: `${accountId}-${holdId}`, accountId, estimateNanoUsd: 1_000n });
    const outcomes = await Promise.allSettled(["a", "b", "b", "c"].map(takeOne));
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 3_000n });
  });

  test("the database refuses holds above the balance, and a hold without a wallet", async () => {
    const accountId = await openWallet(pool, 1_000n);
    const insert = "INSERT INTO hold (id, account_id, amount_nano_usd, expires_at) VALUES ";
    const more = pool.query(`${insert} ('more', $1, 2000, now())`, [accountId]);
    await expect(more).rejects.toThrow("check constraint");
    const none = pool.query(`${insert} ('none', 'acct_nobody', 1, now())`);
    await expect(none).rejects.toThrow("needs a wallet");
    const negative = pool.query(`${insert} ('negative', $1, -1, now())`, [accountId]);
    await expect(negative).rejects.toThrow("check constraint");
  });

  test("holds that are written directly change their wallet too", async () => {
    const accountId = await openWallet(pool, 10_000n);
    await pool.query(
      `INSERT INTO hold (id, account_id, amount_nano_usd, expires_at)
       VALUES ($1 || '-1', $1, 3000, now()), ($1 || '-2', $1, 2000, now())`,
      [accountId],
    );
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 5_000n });
    await pool.query("UPDATE hold SET amount_nano_usd = 4000 WHERE id = $1 || '-1'", [accountId]);
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 6_000n });
    await pool.query("DELETE FROM hold WHERE account_id = $1", [accountId]);
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 0n, balance: 10_000n });
  });

  test("holds expire by the database's clock, not by the process's", async () => {
    const accountId = await openWallet(pool, 1_000_000n);
    const take = createHoldTaker(pool, 60_000);
    await take({ holdId: `${accountId}-expired`, accountId, estimateNanoUsd: 1_000n });
    await take({ holdId: `${accountId}-live`, accountId, estimateNanoUsd: 2_000n });
    await pool.query("UPDATE hold SET expires_at = now() - interval '1 second' WHERE id = $1", [
      `${accountId}-expired`,
    ]);
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ["Date"] });
    try {
      expect(await releaseExpiredHolds(pool, 0)).toBe(1);
    } finally {
      vi.useRealTimers();
    }
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 2_000n });
    await releaseHold(pool, createWalletLocks(pool), `${accountId}-live`);
  });
});
