import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { createHoldTaker } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { openWallet, readWallet } from "./ledger-database.ts";
import { type LedgerWithDatabase, startLedger } from "./running-ledger.ts";

describe("a reversal of a top-up", () => {
  let ledger: LedgerWithDatabase;

  beforeAll(async () => {
    ledger = await startLedger(inject("postgresUrl"));
  });

  afterAll(async () => {
    expect((await verifyLedger(ledger.pool)).discrepancies).toEqual([]);
    await ledger.stop();
  });

  const refund = { amountNanoUsd: 3_000n, reason: "Refund", reference: "re_1" };
  const balanceOf = async (accountId: string) =>
    (await readWallet(ledger.pool, accountId))?.balance;
  const debtOf = async (accountId: string) =>
    (await ledger.client.getWallet({ accountId })).wallet?.debtNanoUsd;

  test("takes its amount once, also where many arrive at once", async () => {
    const accountId = await openWallet(ledger.pool, 10_000n);
    const calls = Array.from({ length: 8 }, () =>
      ledger.credits.reverseTopUp({ accountId, ...refund }),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter(({ reversed }) => reversed)).toHaveLength(1);
    expect(await balanceOf(accountId)).toBe(7_000n);
    const other = ledger.credits.reverseTopUp({ accountId, ...refund, amountNanoUsd: 1_000n });
    await expect(other).rejects.toMatchObject({ code: "invalid_param", param: "reference" });
    const second = { accountId, ...refund, reference: "re_2" };
    expect(await ledger.credits.reverseTopUp(second)).toMatchObject({
      reversed: true,
      wallet: { balanceNanoUsd: 4_000n, debtNanoUsd: 0n },
    });
  });

  test("owes what the wallet does not have, and takes it from the next top-ups first", async () => {
    const { client, credits, pool } = ledger;
    const accountId = await openWallet(pool, 2_000n);
    expect(
      await credits.reverseTopUp({ accountId, ...refund, amountNanoUsd: 9_000n }),
    ).toMatchObject({
      wallet: { balanceNanoUsd: 0n, debtNanoUsd: 7_000n },
    });
    const small = { accountId, amountNanoUsd: 3_000n, reference: "p1" };
    expect(await client.topUp(small)).toMatchObject({
      credited: true,
      collectedNanoUsd: 3_000n,
      wallet: { balanceNanoUsd: 0n },
    });
    expect(await client.topUp(small)).toMatchObject({ credited: false, collectedNanoUsd: 0n });
    expect(await client.topUp({ ...small, amountNanoUsd: 10_000n, reference: "p2" })).toMatchObject(
      {
        collectedNanoUsd: 4_000n,
        wallet: { balanceNanoUsd: 6_000n },
      },
    );
    expect(await debtOf(accountId)).toBe(0n);
  });

  test("leaves what requests hold, and collects it once it is released", async () => {
    const { client, credits, pool } = ledger;
    const accountId = await openWallet(pool, 10_000n);
    const hold = { holdId: `${accountId}-1`, accountId, estimateNanoUsd: 9_000n };
    await createHoldTaker(pool, 60_000)(hold);
    await credits.reverseTopUp({ accountId, ...refund });
    expect([await balanceOf(accountId), await debtOf(accountId)]).toEqual([9_000n, 2_000n]);
    await client.releaseHold({ holdId: hold.holdId });
    await vi.waitFor(async () => expect(await debtOf(accountId)).toBe(0n), 30_000);
    expect(await balanceOf(accountId)).toBe(7_000n);
  });

  test("that is undone gives back what was taken, and is owed no more", async () => {
    const { client, credits, pool } = ledger;
    const accountId = await openWallet(pool, 2_000n);
    const dispute = { accountId, amountNanoUsd: 5_000n, reason: "Dispute", reference: "du_1" };
    await credits.reverseTopUp(dispute);
    await client.topUp({ accountId, amountNanoUsd: 1_000n, reference: "p1" });
    expect([await balanceOf(accountId), await debtOf(accountId)]).toEqual([0n, 2_000n]);
    expect(await credits.undoReversal(dispute)).toMatchObject({
      undone: true,
      wallet: { balanceNanoUsd: 3_000n, debtNanoUsd: 0n },
    });
    expect(await credits.undoReversal(dispute)).toMatchObject({ undone: false });
    expect(await credits.reverseTopUp(dispute)).toMatchObject({ reversed: false });
    expect(await balanceOf(accountId)).toBe(3_000n);
  });

  test("that is undone before it arrives takes nothing", async () => {
    const { credits, pool } = ledger;
    const accountId = await openWallet(pool, 2_000n);
    expect(await credits.undoReversal({ accountId, ...refund })).toMatchObject({ undone: true });
    expect(await credits.reverseTopUp({ accountId, ...refund })).toMatchObject({ reversed: false });
    expect([await balanceOf(accountId), await debtOf(accountId)]).toEqual([2_000n, 0n]);
  });

  test("that is undone pays another one first", async () => {
    const { credits, pool } = ledger;
    const accountId = await openWallet(pool, 3_000n);
    await credits.reverseTopUp({ accountId, ...refund });
    await credits.reverseTopUp({ accountId, ...refund, reference: "re_2" });
    await credits.undoReversal({ accountId, ...refund });
    expect([await balanceOf(accountId), await debtOf(accountId)]).toEqual([0n, 0n]);
  });

  test("is not an adjustment of an operator, whose references never are its own", async () => {
    const accountId = await openWallet(ledger.pool, 3_000n);
    const forged = { accountId, amountNanoUsd: -1_000n, reason: "x", reference: "reversal:re_1:1" };
    await expect(ledger.client.adjust(forged)).rejects.toMatchObject({ param: "reference" });
  });

  test("whose sum differs from its adjustments is found by a verification", async () => {
    const own = await startLedger(inject("postgresUrl"));
    // Nothing is left that the tampered reversal could collect.
    const accountId = await openWallet(own.pool, 3_000n);
    await own.credits.reverseTopUp({ accountId, ...refund });
    await own.pool.query("UPDATE reversal SET taken_nano_usd = 1000");
    expect((await verifyLedger(own.pool)).discrepancies).toEqual([
      expect.stringMatching(/^reversal re_1 of acct_.*: took 0.000001, its adjustments 0.000003$/),
    ]);
    await own.stop();
  });

  test("and the top-ups of a period are listed by their references", async () => {
    const { client, credits, pool } = ledger;
    const accountId = await openWallet(pool, 1_000n);
    const reference = `pi_${accountId}`;
    await client.topUp({ accountId, amountNanoUsd: 2_000n, reference });
    const from = { seconds: BigInt(Math.floor(Date.now() / 1_000) - 3_600), nanos: 0 };
    const { credits: found } = await credits.listCredits({
      from,
      referencePrefix: `pi_${accountId}`,
    });
    expect(found).toMatchObject([{ accountId, reference, amountNanoUsd: 2_000n }]);
  });
});
