import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createHoldTaker } from "../src/take-holds.ts";
import { sumUsage } from "../src/usage-sums.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { openWallet, readWallet, usageEvent } from "./ledger-database.ts";
import { budget } from "./limits-database.ts";
import { type LedgerWithDatabase, startLedger } from "./running-ledger.ts";

describe("an adjustment", () => {
  let ledger: LedgerWithDatabase;

  beforeAll(async () => {
    ledger = await startLedger(inject("postgresUrl"));
  });

  afterAll(async () => {
    expect((await verifyLedger(ledger.pool)).discrepancies).toEqual([]);
    await ledger.stop();
  });

  const correction = { amountNanoUsd: -3_000n, reason: "Refund of a test", reference: "case-1" };

  test("corrects a balance upwards and downwards, once for each reference", async () => {
    const { client, pool } = ledger;
    const accountId = await openWallet(pool, 10_000n);
    const down = { accountId, ...correction };
    expect(await client.adjust(down)).toMatchObject({
      adjusted: true,
      wallet: { balanceNanoUsd: 7_000n },
    });
    expect(await client.adjust(down)).toMatchObject({
      adjusted: false,
      wallet: { balanceNanoUsd: 7_000n },
    });
    await expect(client.adjust({ ...down, amountNanoUsd: -1_000n })).rejects.toMatchObject({
      code: "invalid_param",
      param: "reference",
    });
    // A top-up has a reference of its own.
    const payment = { accountId, amountNanoUsd: 1_000n, reference: "case-1" };
    expect(await client.topUp(payment)).toMatchObject({ credited: true });
    const up = { ...down, amountNanoUsd: 2_000n, reference: "opening" };
    expect(await client.adjust(up)).toMatchObject({ adjusted: true });
    expect(await readWallet(pool, accountId)).toEqual({
      balance: 10_000n,
      held: 0n,
      entries: 10_000n,
    });
    const { entries } = await client.listEntries({ accountId, limit: 10 });
    expect(entries[0]).toMatchObject({
      kind: "adjustment",
      amountNanoUsd: 2_000n,
      reason: "Refund of a test",
      reference: "opening",
    });
    expect(entries.map(({ kind, reason }) => [kind, reason])).toContainEqual(["top_up", ""]);
  });

  test("applied many times at once adds its amount once", async () => {
    const { client, pool } = ledger;
    const accountId = await openWallet(pool, 10_000n);
    const all = Array.from({ length: 8 }, () => client.adjust({ accountId, ...correction }));
    const outcomes = await Promise.all(all);
    expect(outcomes.filter(({ adjusted }) => adjusted)).toHaveLength(1);
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 7_000n });
  });

  test("takes away no more than is available, and its error names what that is", async () => {
    const { client, pool } = ledger;
    const accountId = await openWallet(pool, 10_000n);
    const held = { holdId: `${accountId}-1`, accountId, estimateNanoUsd: 8_000n };
    await createHoldTaker(pool, 60_000)(held);
    await expect(client.adjust({ accountId, ...correction })).rejects.toMatchObject({
      code: "invalid_param",
      param: "amount",
      message: expect.stringContaining("0.000002 USD available"),
    });
    const all = { accountId, ...correction, amountNanoUsd: -2_000n };
    expect(await client.adjust(all)).toMatchObject({ wallet: { heldNanoUsd: 8_000n } });
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 8_000n });
  });

  test.each([
    ["nothing", { amountNanoUsd: 0n }, "amount"],
    ["less than a micro-USD", { amountNanoUsd: 500n }, "amount"],
    ["more than a wallet holds", { amountNanoUsd: 10n ** 18n }, "amount"],
    ["without a reason", { reason: " " }, "reason"],
    ["with a long reason", { reason: "x".repeat(201) }, "reason"],
    ["without a reference", { reference: "" }, "reference"],
  ])("of %s is refused", async (_name, fields, param) => {
    const accountId = await openWallet(ledger.pool, 10_000n);
    const adjusted = ledger.client.adjust({ accountId, ...correction, ...fields });
    await expect(adjusted).rejects.toMatchObject({ code: "invalid_param", param });
    expect(await readWallet(ledger.pool, accountId)).toMatchObject({ balance: 10_000n });
  });

  test("is in no sum of usage, and no budget counts it", async () => {
    const { client, pool } = ledger;
    const accountId = await openWallet(pool, 10_000n);
    const limits = { ...budget(5_000n, BudgetPeriod.DAY), requestsPerMinute: 9 };
    const { use } = await client.setLimits({ accountId, ownerId: accountId, limits });
    expect(use).toMatchObject({ ownerId: accountId, limits, spentNanoUsd: 0n });
    await client.adjust({ accountId, ...correction });
    await client.recordUsage({ events: [usageEvent({ accountId, costNanoUsd: 1_000n })] });
    const { uses } = await client.listLimits({ ownerIds: [accountId] });
    expect(uses).toMatchObject([{ spentNanoUsd: 1_000n, heldNanoUsd: 0n, requests: 0 }]);
    const hour = 3_600_000;
    const to = new Date(Math.ceil(Date.now() / hour) * hour + hour);
    const from = new Date(to.getTime() - 4 * hour);
    const { sums } = await sumUsage(pool, { accountId, from, to, by: UsageBy.DAY });
    expect(sums.map(({ requests }) => requests)).toEqual([1n]);
    const period = { seconds: BigInt(from.getTime() / 1_000), nanos: 0 };
    expect(await client.getSpend({ accountId, from: period })).toMatchObject({
      spendNanoUsd: 1_000n,
    });
  });
});
