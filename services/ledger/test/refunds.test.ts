import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { verifyLedger } from "../src/verify/verify.ts";
import { openWallet, readWallet, usageEvent } from "./ledger-database.ts";
import { type LedgerWithDatabase, startLedger } from "./running-ledger.ts";

const dayMs = 86_400_000;

describe("a refund of a request", () => {
  let ledger: LedgerWithDatabase;

  beforeAll(async () => {
    ledger = await startLedger(inject("postgresUrl"));
  });

  afterAll(async () => {
    expect((await verifyLedger(ledger.pool)).discrepancies).toEqual([]);
    await ledger.stop();
  });

  /** Charges a request of a new account, which has 10,000 nano-USD, with 6,000. */
  async function charge() {
    const accountId = await openWallet(ledger.pool, 10_000n);
    const event = usageEvent({ accountId, costNanoUsd: 6_000n });
    await ledger.client.recordUsage({ events: [event] });
    return { accountId, requestId: event.requestId };
  }

  const refund = { amountNanoUsd: 4_000n, reason: "The answer was cut", reference: "case-1" };

  test("is credited once for each reference, and is linked with its request", async () => {
    const { client, credits, pool } = ledger;
    const request = await charge();
    const first = await credits.refundCharge({ ...request, ...refund });
    expect(first).toMatchObject({ refunded: true, wallet: { balanceNanoUsd: 8_000n } });
    const again = await credits.refundCharge({ ...request, ...refund });
    expect(again).toMatchObject({ refunded: false, wallet: { balanceNanoUsd: 8_000n } });
    const { requests, refunds } = await client.readRequest({ id: request.requestId });
    expect(requests).toHaveLength(1);
    expect(refunds).toMatchObject([
      { kind: "adjustment", amountNanoUsd: 4_000n, reason: refund.reason, ...request },
    ]);
    expect(await readWallet(pool, request.accountId)).toMatchObject({ balance: 8_000n });
    // The charge of a request does not change by its refund.
    const { charges } = await client.findCharges({
      accountId: request.accountId,
      requestIds: [request.requestId],
      withinMs: 60_000,
    });
    expect(charges).toMatchObject([{ chargedNanoUsd: 6_000n }]);
  });

  test("and all refunds of the request together are at most what was charged", async () => {
    const { credits } = ledger;
    const request = await charge();
    await credits.refundCharge({ ...request, ...refund });
    const more = { ...request, ...refund, reference: "case-2" };
    await expect(credits.refundCharge({ ...more, amountNanoUsd: 3_000n })).rejects.toThrow(
      /at most 0\.000002 USD/,
    );
    const both = [1, 2].map((n) =>
      credits.refundCharge({ ...more, reference: `both-${n}`, amountNanoUsd: 2_000n }),
    );
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const other = await charge();
    const foreign = { ...refund, accountId: other.accountId, requestId: request.requestId };
    await expect(credits.refundCharge(foreign)).rejects.toThrow(/at most 0\.000000 USD/);
  });

  test.each([
    [{ amountNanoUsd: 1_000n }, /for another amount/],
    [{ amountNanoUsd: 500n, reference: "fraction" }, /six decimals/],
    [{ reference: "reasonless", reason: " " }, /reason/],
    [{ reference: " " }, /reference/],
  ])("%o is refused", async (fields, message) => {
    const request = await charge();
    await ledger.credits.refundCharge({ ...request, ...refund });
    const wrong = ledger.credits.refundCharge({ ...request, ...refund, ...fields });
    await expect(wrong).rejects.toThrow(message);
  });

  test("has references that no adjustment may have", async () => {
    const { accountId } = await charge();
    const adjustment = { accountId, amountNanoUsd: 1_000n, reason: "Correction" };
    await expect(
      ledger.client.adjust({ ...adjustment, reference: "refund:req_1:a" }),
    ).rejects.toThrow(/refund:/);
  });

  test("is found by its kind, and entries by period and request", async () => {
    const { client, credits } = ledger;
    const { accountId, requestId } = await charge();
    await credits.refundCharge({ accountId, requestId, ...refund });
    await client.adjust({ accountId, amountNanoUsd: 1_000n, reason: "Gift", reference: "gift" });
    const kindsOf = async (filter: object, account = accountId) => {
      const { entries } = await client.listEntries({ accountId: account, limit: 10, filter });
      return entries.filter((one) => one.accountId === accountId).map(({ kind }) => kind);
    };
    expect(await kindsOf({ kind: "refund" })).toEqual(["adjustment"]);
    expect(await kindsOf({ kind: "refund" }, "")).toEqual(["adjustment"]);
    expect(await kindsOf({ kind: "usage" })).toEqual(["usage"]);
    expect(await kindsOf({ kind: "top_up" })).toEqual(["top_up"]);
    const { entries } = await client.listEntries({
      ...{ accountId, limit: 10, filter: { kind: "adjustment" } },
    });
    expect(entries.map(({ reference }) => reference)).toEqual(["gift"]);
    expect((await kindsOf({ requestId }, "")).toSorted()).toEqual(["adjustment", "usage"]);
    const at = (ms: number) => timestampFromDate(new Date(Date.now() + ms));
    expect(await kindsOf({ from: at(-dayMs), to: at(dayMs) })).toHaveLength(4);
    expect(await kindsOf({ to: at(-dayMs) }, "")).toEqual([]);
    expect(await kindsOf({ from: at(dayMs) })).toEqual([]);
    await expect(kindsOf({ kind: "gift" })).rejects.toThrow(/must be one of/);
  });

  test("is a refund in the sums of all wallets, which are those of the statements", async () => {
    const { client, credits, pool } = ledger;
    const accounts: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { accountId, requestId } = await charge();
      accounts.push(accountId);
      await credits.refundCharge({ accountId, requestId, ...refund });
      const correction = { amountNanoUsd: -1_000n, reason: "Correction", reference: "one" };
      await client.adjust({ accountId, ...correction });
      const reversal = { amountNanoUsd: 2_000n, reason: "Refund of a payment", reference: "re_1" };
      await credits.reverseTopUp({ accountId, ...reversal });
    }
    const today = Math.floor(Date.now() / dayMs) * dayMs;
    const days = [today - dayMs, today, today + dayMs, today + 2 * dayMs];
    for (const [index, day] of days.slice(0, -1).entries()) {
      const period = {
        from: timestampFromDate(new Date(day)),
        to: timestampFromDate(new Date(days[index + 1] ?? 0)),
      };
      const { wallets, total, hasMore } = await credits.sumWallets(period);
      expect(hasMore).toBe(false);
      const own = wallets.filter(({ accountId }) => accounts.includes(accountId));
      expect(own).toHaveLength(index === 0 ? 0 : accounts.length);
      for (const { $typeName: _, accountId, accountName: _name, ...sums } of own) {
        const { sums: statement } = await credits.sumStatement({ accountId, ...period });
        expect(statement).toMatchObject(sums);
      }
      const { rows } = await pool.query<{ sum: bigint }>(
        "SELECT sum(balance_nano_usd)::bigint AS sum FROM wallet",
      );
      if (index > 0) expect(total?.closingNanoUsd).toBe(rows[0]?.sum);
      const added = wallets.reduce((sum, one) => sum + one.closingNanoUsd, 0n);
      expect(total?.closingNanoUsd).toBe(added);
    }
  });
});
