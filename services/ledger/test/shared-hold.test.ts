import { Outcome } from "@tollgate/proto/tollgate/v1/usage";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { extendHolds } from "../src/extend-holds.ts";
import { releaseExpiredHolds } from "../src/release.ts";
import { releaseSharedHold, type SharedHoldRequest, takeSharedHold } from "../src/shared-hold.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import {
  createLedgerDatabase,
  openLedger,
  openWallet,
  readWallet,
  usageEvent,
} from "./ledger-database.ts";

const holdMs = 60_000;

describe("a shared hold", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(async () => {
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    await pool.end();
  });

  async function grants(request: SharedHoldRequest): Promise<boolean> {
    return (await takeSharedHold(pool, request, holdMs)).granted;
  }

  /** A wallet of 3,200,000 nano-USD and a shared hold of 100,000. */
  async function openShared() {
    const accountId = await openWallet(pool, 3_200_000n);
    const shared = { holdId: `hold_${accountId}`, accountId, amountNanoUsd: 100_000n };
    expect(await takeSharedHold(pool, shared, holdMs)).toEqual({ granted: true });
    const eventOf = (costNanoUsd: bigint, sharedNanoUsd: bigint) =>
      usageEvent({ accountId, sharedHoldId: shared.holdId, sharedNanoUsd, costNanoUsd });
    return { accountId, shared, eventOf, wallet: () => readWallet(pool, accountId) };
  }

  test("is refused if all of the wallet's shared holds exceed a sixteenth of what is available", async () => {
    const accountId = await openWallet(pool, 1_600_000n);
    const take = (name: string, amountNanoUsd: bigint) =>
      grants({ holdId: `${name}_${accountId}`, accountId, amountNanoUsd });
    expect(await take("large", 100_001n)).toBe(false);
    expect(await take("first", 60_000n)).toBe(true);
    expect(await take("more", 40_001n)).toBe(false);
    expect(await take("second", 40_000n)).toBe(true);
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 100_000n });
    await releaseSharedHold(pool, {
      holdId: `first_${accountId}`,
      accountId,
      amountNanoUsd: 10_000n,
    });
    expect(await take("more", 40_000n)).toBe(true);
    expect(await take("most", 40_000n)).toBe(false);
    const unknown = { holdId: "hold_unknown", accountId: "acct_unknown", amountNanoUsd: 1n };
    expect(await grants(unknown)).toBe(false);
  });

  test("is refused beyond that part also when many are requested at once", async () => {
    const accountId = await openWallet(pool, 1_600_000n);
    const granted = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        grants({ holdId: `${accountId}-${index}`, accountId, amountNanoUsd: 10_000n }),
      ),
    );
    expect(granted.filter((one) => one)).toHaveLength(10);
  });

  test("is extended after the change that has locked its wallet", async () => {
    const { shared } = await openShared();
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query("SELECT FROM wallet WHERE account_id = $1 FOR UPDATE", [shared.accountId]);
    await client.query("UPDATE hold SET amount_nano_usd = amount_nano_usd - 1000 WHERE id = $1", [
      shared.holdId,
    ]);
    const locks = createWalletLocks(pool);
    const extended = extendHolds(pool, locks, [shared.holdId], 2 * holdMs);
    await expect.poll(() => locks.has(shared.accountId)).toBe(true);
    await client.query("COMMIT");
    client.release();
    await extended;
    const { rows } = await pool.query<{ left: number }>(
      "SELECT extract(epoch FROM expires_at - now())::float AS left FROM hold WHERE id = $1",
      [shared.holdId],
    );
    expect(rows[0]?.left).toBeGreaterThan(holdMs / 1_000);
  });

  test("pays for each request from its part, and releases the rest once", async () => {
    const { shared, eventOf, wallet } = await openShared();
    const capture = createCapture(pool);
    const events = [eventOf(10_000n, 10_000n), eventOf(20_000n, 30_000n), eventOf(0n, 5_000n)];
    await Promise.all([...events, ...events].map((event) => capture(event)));
    expect(await wallet()).toEqual({ balance: 3_170_000n, held: 55_000n, entries: 3_170_000n });
    await Promise.all(events.map((event) => capture(event)));
    await releaseSharedHold(pool, { ...shared, amountNanoUsd: 40_000n });
    await releaseSharedHold(pool, { ...shared, amountNanoUsd: 40_000n });
    expect(await wallet()).toMatchObject({ balance: 3_170_000n, held: 15_000n });
    await capture(eventOf(15_000n, 15_000n));
    expect(await wallet()).toEqual({ balance: 3_155_000n, held: 0n, entries: 3_155_000n });
  });

  test("pays for its requests even if the rest of the wallet is held", async () => {
    const { accountId, eventOf, wallet } = await openShared();
    const rest = { holdId: `${accountId}-all`, accountId, estimateNanoUsd: 10_000_000n };
    expect(await createHoldTaker(pool, holdMs)(rest)).toMatchObject({ heldNanoUsd: 3_100_000n });
    const capture = createCapture(pool);
    await Promise.all([eventOf(60_000n, 60_000n), eventOf(40_000n, 40_000n)].map(capture));
    expect(await wallet()).toMatchObject({ balance: 3_100_000n, held: 3_100_000n });
  });

  test("pays no more than its amount: money that others hold is never touched", async () => {
    const { accountId, eventOf, wallet } = await openShared();
    const rest = { holdId: `${accountId}-all`, accountId, estimateNanoUsd: 10_000_000n };
    await createHoldTaker(pool, holdMs)(rest);
    await Promise.all(
      [eventOf(70_000n, 70_000n), eventOf(70_000n, 70_000n)].map(createCapture(pool)),
    );
    expect(await wallet()).toEqual({ balance: 3_100_000n, held: 3_100_000n, entries: 3_100_000n });
  });

  test("pays for requests of its own account only", async () => {
    const { shared, wallet } = await openShared();
    const other = await openWallet(pool, 5_000n);
    const event = usageEvent({
      accountId: other,
      sharedHoldId: shared.holdId,
      sharedNanoUsd: 100_000n,
      costNanoUsd: 50_000n,
    });
    await createCapture(pool)(event);
    expect(await wallet()).toMatchObject({ balance: 3_200_000n, held: 100_000n });
    expect(await readWallet(pool, other)).toMatchObject({ balance: 0n, held: 0n });
  });

  test("pays together with the request's own hold", async () => {
    const { accountId, shared, wallet } = await openShared();
    const holdId = `${accountId}-own`;
    await createHoldTaker(pool, holdMs)({ holdId, accountId, estimateNanoUsd: 7_000n });
    const both = { sharedHoldId: shared.holdId, sharedNanoUsd: 100_000n };
    await createCapture(pool)(usageEvent({ accountId, holdId, ...both, costNanoUsd: 104_000n }));
    expect(await wallet()).toEqual({ balance: 3_096_000n, held: 0n, entries: 3_096_000n });
  });

  test("of a process that died expires, and later captures charge what is available", async () => {
    const accountId = await openWallet(pool, 3_200_000n);
    const shared = { holdId: `hold_${accountId}`, accountId, amountNanoUsd: 100_000n };
    await takeSharedHold(pool, shared, 0);
    await releaseExpiredHolds(pool, 0);
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 0n });
    const fields = { accountId, sharedHoldId: shared.holdId, sharedNanoUsd: 9_000n };
    await createCapture(pool)(usageEvent({ ...fields, costNanoUsd: 9_000n }));
    await releaseSharedHold(pool, { ...shared, amountNanoUsd: 91_000n });
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 3_191_000n, held: 0n });
  });

  test("keeps balance and entries equal for any parts, costs, order and batches", async () => {
    const call = fc.record({
      part: fc.bigInt(1n, 40n).map((micro) => micro * 1_000n),
      cost: fc.bigInt(0n, 60n).map((micro) => micro * 1_000n),
      fails: fc.boolean(),
      takesAll: fc.boolean(),
    });
    const property = fc.asyncProperty(fc.array(call, { maxLength: 10 }), async (calls) => {
      const { shared, eventOf, wallet } = await openShared();
      let unused = shared.amountNanoUsd;
      let balance = 3_200_000n;
      const events = [];
      for (const { part, cost, fails, takesAll } of calls) {
        if (part > unused) continue;
        const charged = fails ? 0n : cost;
        const spent = charged < part ? charged : part;
        unused -= takesAll ? part : spent;
        balance -= charged;
        const outcome = fails ? Outcome.FAILED : Outcome.COMPLETED;
        events.push({ ...eventOf(cost, takesAll ? part : spent), outcome });
      }
      await Promise.all([
        ...events.map(createCapture(pool)),
        releaseSharedHold(pool, { ...shared, amountNanoUsd: unused }),
      ]);
      expect(await wallet()).toEqual({ balance, held: 0n, entries: balance });
    });
    await fc.assert(property, { numRuns: 60 });
  });
});
