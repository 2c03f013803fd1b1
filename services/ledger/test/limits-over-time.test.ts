import { timestampDate } from "@bufbuild/protobuf/wkt";
import { BudgetPeriod, LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import { Outcome } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { listLimits } from "../src/limits.ts";
import { releaseExpiredHolds, releaseHold } from "../src/release.ts";
import { releaseSharedHold, takeSharedHold } from "../src/shared-hold.ts";
import { createHoldTaker, type TakeRequest } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";
import { budget, limit, openTimed, readUse, type TimedLedger } from "./limits-database.ts";

const holdMs = 60_000;
const rich = 10n ** 12n;

describe("the limits of keys and accounts over time", () => {
  let untimed: pg.Pool;
  let ledger: TimedLedger;
  let pool: pg.Pool;
  let number = 0;

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    untimed = await openLedger(url);
    ledger = await openTimed(url);
    pool = ledger.pool;
  });

  afterAll(async () => {
    await ledger.setTime(new Date());
    await releaseExpiredHolds(pool, 0);
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    await Promise.all([pool.end(), untimed.end()]);
  });

  function take(accountId: string, fields: Partial<TakeRequest> = {}) {
    number += 1;
    const request = { holdId: `hold_${number}`, accountId, estimateNanoUsd: 1_000n, ...fields };
    return createHoldTaker(pool, holdMs)(request);
  }

  const capture = (fields: Parameters<typeof usageEvent>[0]) =>
    createCapture(pool)(usageEvent(fields));

  async function resetOf(ownerId: string): Promise<string | undefined> {
    const [use] = await listLimits(pool, [ownerId]);
    return use?.resetsAt && timestampDate(use.resetsAt).toISOString();
  }

  test("a budget begins anew at midnight UTC, with the holds that are open then", async () => {
    await ledger.setTime("2026-11-10T23:59:58Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, budget(10_000n, BudgetPeriod.DAY));
    await take(accountId, { holdId: "early", estimateNanoUsd: 6_000n });
    await capture({ accountId, holdId: "early", costNanoUsd: 6_000n });
    await ledger.setTime("2026-11-10T23:59:59Z");
    const night = { holdId: "night", estimateNanoUsd: 5_000n };
    expect(await take(accountId, night)).toMatchObject({ heldNanoUsd: 4_000n });
    const refused = await take(accountId);
    expect(refused.refusal).toMatchObject({ kind: LimitKind.BUDGET, heldNanoUsd: 4_000n });
    await ledger.setTime("2026-11-11T00:00:01Z");
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 0n, heldNanoUsd: 4_000n });
    const morning = { holdId: "morning", estimateNanoUsd: 10_000n };
    expect(await take(accountId, morning)).toMatchObject({ heldNanoUsd: 6_000n });
    await capture({ accountId, holdId: "night", costNanoUsd: 3_000n });
    expect(await readUse(pool, accountId)).toMatchObject({
      spentNanoUsd: 3_000n,
      heldNanoUsd: 6_000n,
    });
    expect(await take(accountId, { estimateNanoUsd: 9_000n })).toMatchObject({
      heldNanoUsd: 1_000n,
    });
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
  });

  test.each([
    [BudgetPeriod.DAY, "2026-11-11T00:00:00.000Z"],
    [BudgetPeriod.WEEK, "2026-11-16T00:00:00.000Z"],
    [BudgetPeriod.MONTH, "2026-12-01T00:00:00.000Z"],
    [BudgetPeriod.TOTAL, undefined],
  ])("a budget of period %i has its charges until its period ends", async (period, end) => {
    await ledger.setTime("2026-11-10T12:00:00Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, budget(10_000n, period));
    expect(await resetOf(accountId)).toBe(end);
    await capture({ accountId, costNanoUsd: 10_000n });
    const last = end === undefined ? "2030-01-01T00:00:00Z" : new Date(Date.parse(end) - 1);
    await ledger.setTime(last);
    const refused = await take(accountId);
    const resetsAt = refused.refusal?.resetsAt;
    expect(resetsAt && timestampDate(resetsAt).toISOString()).toBe(end);
    expect(refused.refusal?.kind).toBe(LimitKind.BUDGET);
    if (end === undefined) return;
    await ledger.setTime(end);
    expect(await take(accountId)).toMatchObject({ heldNanoUsd: 1_000n });
  });

  test("a charge without a hold is paid from the budget of the period that has begun", async () => {
    await ledger.setTime("2026-11-10T12:00:00Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, budget(10_000n, BudgetPeriod.DAY));
    await capture({ accountId, costNanoUsd: 10_000n });
    await ledger.setTime("2026-11-11T12:00:00Z");
    await capture({ accountId, costNanoUsd: 4_000n });
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 4_000n });
  });

  test("a week begins on Monday", async () => {
    await ledger.setTime("2026-11-15T23:59:59Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, budget(10_000n, BudgetPeriod.WEEK));
    expect(await resetOf(accountId)).toBe("2026-11-16T00:00:00.000Z");
    await ledger.setTime("2026-11-16T00:00:00Z");
    expect(await resetOf(accountId)).toBe("2026-11-23T00:00:00.000Z");
  });

  test("a budget that is set counts the charges of its period and the holds that are open", async () => {
    await ledger.setTime("2026-10-31T23:00:00Z");
    const accountId = await openWallet(pool, rich);
    await capture({ accountId, keyId: `${accountId}-k`, costNanoUsd: 1_000n });
    await ledger.setTime("2026-11-02T23:00:00Z");
    await capture({ accountId, keyId: `${accountId}-k`, costNanoUsd: 2_000n });
    await capture({ accountId, keyId: "other", costNanoUsd: 4_000n });
    await take(accountId, { keyId: `${accountId}-k`, estimateNanoUsd: 8_000n });
    await take(accountId, { keyId: "other", estimateNanoUsd: 16_000n });
    const month = budget(50_000n, BudgetPeriod.MONTH);
    const use = { requests: 0, tokens: 0n };
    expect(await limit(pool, accountId, month, `${accountId}-k`)).toMatchObject({
      ...use,
      spentNanoUsd: 2_000n,
      heldNanoUsd: 8_000n,
      inProgress: 1,
    });
    expect(await limit(pool, accountId, month)).toMatchObject({
      ...use,
      spentNanoUsd: 6_000n,
      heldNanoUsd: 24_000n,
      inProgress: 2,
    });
    expect(await limit(pool, accountId, budget(50_000n, BudgetPeriod.TOTAL))).toMatchObject({
      spentNanoUsd: 7_000n,
    });
  });

  test("a limit that is replaced keeps the counts of its minute", async () => {
    await ledger.setTime("2026-11-12T10:00:00Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { requestsPerMinute: 5 });
    await take(accountId, { tokens: 7n });
    await limit(pool, accountId, { requestsPerMinute: 1, tokensPerMinute: 100n });
    expect(await readUse(pool, accountId)).toMatchObject({
      requests: 1,
      tokens: 7n,
      inProgress: 1,
    });
    expect((await take(accountId)).refusal?.kind).toBe(LimitKind.REQUESTS);
  });

  test("a request leaves the minute 60 seconds after it, and a refusal says when", async () => {
    await ledger.setTime("2026-11-12T11:00:00.900Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { requestsPerMinute: 3 });
    const first = await take(accountId);
    expect(first.rates).toMatchObject({ requests: { limit: 3n, remaining: 2n, resetMs: 60_000 } });
    await ledger.setTime("2026-11-12T11:00:20Z");
    await take(accountId);
    await take(accountId);
    await ledger.setTime("2026-11-12T11:01:00.400Z");
    const refused = await take(accountId);
    expect(refused.refusal).toMatchObject({ kind: LimitKind.REQUESTS, retryAfterMs: 500 });
    expect(refused.rates).toMatchObject({ requests: { remaining: 0n, resetMs: 19_600 } });
    await ledger.setTime("2026-11-12T11:01:00.899Z");
    expect((await take(accountId)).refusal?.retryAfterMs).toBe(1);
    await ledger.setTime("2026-11-12T11:01:00.900Z");
    expect((await take(accountId)).refusal).toBeUndefined();
    expect((await take(accountId)).refusal?.retryAfterMs).toBe(19_100);
  });

  test("what was used in a second leaves the minute 60 seconds after the last of its requests", async () => {
    await ledger.setTime("2026-11-10T12:00:00.100Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { requestsPerMinute: 2 });
    await take(accountId);
    await ledger.setTime("2026-11-10T12:00:00.900Z");
    await take(accountId);
    await ledger.setTime("2026-11-10T12:01:00.500Z");
    expect((await take(accountId)).refusal).toMatchObject({ retryAfterMs: 400 });
    await ledger.setTime("2026-11-10T12:01:00.900Z");
    expect((await take(accountId)).refusal).toBeUndefined();
  });

  test("a retry succeeds when enough tokens have left the minute", async () => {
    await ledger.setTime("2026-11-10T12:00:00Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { tokensPerMinute: 1_000n });
    await take(accountId, { tokens: 400n });
    await ledger.setTime("2026-11-10T12:00:10Z");
    await take(accountId, { tokens: 400n });
    await ledger.setTime("2026-11-10T12:00:20Z");
    const one = await take(accountId, { tokens: 300n });
    expect(one.refusal).toMatchObject({ kind: LimitKind.TOKENS, retryAfterMs: 40_000 });
    const both = await take(accountId, { tokens: 700n });
    expect(both.refusal).toMatchObject({ kind: LimitKind.TOKENS, retryAfterMs: 50_000 });
  });

  test("a capture that is later than a minute changes no other second", async () => {
    await ledger.setTime("2026-11-10T12:00:00Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { tokensPerMinute: 1_000n });
    await take(accountId, { holdId: "late", tokens: 400n });
    // The counts of a second are replaced 61 seconds later.
    await ledger.setTime("2026-11-10T12:01:01Z");
    await take(accountId, { tokens: 300n });
    await capture({ accountId, holdId: "late", unitType: "tokens", quantity: 900n });
    expect(await readUse(pool, accountId)).toMatchObject({ tokens: 300n });
  });

  test("in no 60 seconds more requests pass than the limit", async () => {
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { requestsPerMinute: 7 });
    const start = Date.parse("2026-11-12T12:00:00Z");
    const passed: number[] = [];
    for (let ms = 0; ms < 190_000; ms += 1_700) {
      await ledger.setTime(new Date(start + ms));
      if ((await take(accountId)).refusal === undefined) passed.push(ms);
    }
    for (const from of passed) {
      expect(passed.filter((ms) => ms >= from && ms < from + 60_000).length).toBeLessThan(8);
    }
    expect(passed.length).toBeGreaterThan(7 * 3);
  });

  test("a load of 95 percent of the limits is never refused", async () => {
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { requestsPerMinute: 120, tokensPerMinute: 12_000n });
    const start = Date.parse("2026-11-12T13:00:00Z");
    for (let n = 0; n < 300; n += 1) {
      await ledger.setTime(new Date(start + (n * 60_000) / 114));
      expect((await take(accountId, { tokens: 100n })).refusal).toBeUndefined();
    }
  });

  test("tokens are taken by estimate and settled in the second in which they were taken", async () => {
    await ledger.setTime("2026-11-13T10:00:00Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { tokensPerMinute: 1_000n });
    const tokens = { promptTokens: 100n, completionTokens: 150n };
    await take(accountId, { holdId: "a", tokens: 900n });
    await ledger.setTime("2026-11-13T10:00:30Z");
    const refused = await take(accountId, { tokens: 200n });
    expect(refused.refusal).toMatchObject({ kind: LimitKind.TOKENS, retryAfterMs: 30_000 });
    await capture({ accountId, holdId: "a", costNanoUsd: 1_000n, ...tokens });
    expect(await readUse(pool, accountId)).toMatchObject({ tokens: 250n, requests: 1 });
    const second = await take(accountId, { holdId: "b", tokens: 700n });
    expect(second.rates?.tokens).toMatchObject({ limit: 1_000n, remaining: 50n, resetMs: 60_000 });
    await capture({ accountId, holdId: "b", outcome: Outcome.FAILED });
    expect(await readUse(pool, accountId)).toMatchObject({ tokens: 250n, requests: 2 });
    await take(accountId, { holdId: "c", tokens: 100n });
    await capture({ accountId, holdId: "c", promptTokens: 800n });
    expect(await readUse(pool, accountId)).toMatchObject({ tokens: 1_050n });
    await ledger.setTime("2026-11-13T10:01:00Z");
    expect(await readUse(pool, accountId)).toMatchObject({ tokens: 800n, requests: 2 });
    await take(accountId, { holdId: "late", tokens: 100n });
    await ledger.setTime("2026-11-13T10:02:01Z");
    await capture({ accountId, holdId: "late", promptTokens: 1_000n });
    expect(await readUse(pool, accountId)).toMatchObject({ tokens: 0n, requests: 0 });
  });

  test("a request with more tokens than the limit is served in an empty minute only", async () => {
    await ledger.setTime("2026-11-13T11:00:00Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { tokensPerMinute: 1_000n });
    await take(accountId, { tokens: 1n });
    expect((await take(accountId, { tokens: 5_000n })).refusal?.retryAfterMs).toBe(60_000);
    await ledger.setTime("2026-11-13T11:01:00Z");
    const large = await take(accountId, { holdId: "large", tokens: 5_000n });
    expect(large.refusal).toBeUndefined();
    expect(large.rates?.tokens).toMatchObject({ remaining: 0n });
    expect((await take(accountId, { tokens: 1n })).refusal?.kind).toBe(LimitKind.TOKENS);
    await capture({ accountId, holdId: "large", promptTokens: 999n });
    expect((await take(accountId, { tokens: 1n })).refusal).toBeUndefined();
  });

  test("a hold that is released did not use its limits", async () => {
    await ledger.setTime("2026-11-13T12:00:00Z");
    const accountId = await openWallet(pool, rich);
    await limit(pool, accountId, { requestsPerMinute: 10, parallel: 1 });
    await take(accountId, { holdId: "released", tokens: 20n });
    await ledger.setTime("2026-11-13T12:00:10Z");
    await releaseHold(pool, createWalletLocks(pool), "released");
    const none = { requests: 0, tokens: 0n, inProgress: 0, heldNanoUsd: 0n };
    expect(await readUse(pool, accountId)).toMatchObject(none);
  });

  test("of a key and its account, the rates of the one that has less left are reported", async () => {
    await ledger.setTime("2026-11-13T13:00:00Z");
    const accountId = await openWallet(pool, rich);
    const keyId = `${accountId}-key`;
    await limit(pool, accountId, { requestsPerMinute: 3, tokensPerMinute: 900n });
    await limit(pool, accountId, { requestsPerMinute: 2, tokensPerMinute: 1_000n }, keyId);
    const { rates } = await take(accountId, { keyId, tokens: 100n });
    expect(rates).toMatchObject({
      requests: { limit: 2n, remaining: 1n },
      tokens: { limit: 900n, remaining: 800n },
    });
    await take(accountId, { keyId: "unlimited" });
    expect((await take(accountId, { keyId })).rates?.requests).toMatchObject({ remaining: 0n });
    const refused = await take(accountId, { keyId: "unlimited" });
    expect(refused.refusal).toMatchObject({ ownerId: accountId, isAccount: true });
    await limit(pool, accountId, {});
    expect((await take(accountId, { keyId: "unlimited" })).rates).toBeUndefined();
  });

  test("a shared hold takes a slice of every limit, and what it does not use is released", async () => {
    await ledger.setTime("2026-11-14T10:00:00Z");
    const accountId = await openWallet(pool, rich);
    const keyId = `${accountId}-key`;
    const limits = { requestsPerMinute: 1_600, tokensPerMinute: 160_000n, parallel: 160 };
    await limit(pool, accountId, { ...budget(1_600_000n, BudgetPeriod.DAY), ...limits }, keyId);
    await limit(pool, accountId, budget(rich, BudgetPeriod.DAY));
    const amounts = { amountNanoUsd: 100_000n, requests: 100, tokens: 10_000n, inProgress: 10 };
    const shared = { holdId: `${keyId}-shared`, accountId, keyId, ...amounts };
    const tooMuch = [{ amountNanoUsd: 101_000n }, { requests: 101 }, { tokens: 10_001n }];
    for (const more of [...tooMuch, { inProgress: 11 }]) {
      expect(await takeSharedHold(pool, { ...shared, ...more }, holdMs)).toMatchObject({
        granted: false,
      });
    }
    const taken = await takeSharedHold(pool, shared, holdMs);
    expect(taken).toMatchObject({ granted: true, rates: { requests: { remaining: 1_500n } } });
    const all = { heldNanoUsd: 100_000n, requests: 100, tokens: 10_000n, inProgress: 10 };
    expect(await readUse(pool, keyId)).toMatchObject(all);
    expect(await readUse(pool, accountId)).toMatchObject(all);
    const second = { ...shared, holdId: `${keyId}-second` };
    expect(await takeSharedHold(pool, second, holdMs)).toMatchObject({ granted: false });

    await ledger.setTime("2026-11-14T10:00:05Z");
    const part = { keyId, sharedHoldId: shared.holdId, accountId, costNanoUsd: 3_000n };
    const counts = { sharedNanoUsd: 3_000n, sharedTokens: 400n };
    await capture({ ...part, ...counts, promptTokens: 300n });
    expect(await readUse(pool, keyId)).toEqual({
      spentNanoUsd: 3_000n,
      heldNanoUsd: 97_000n,
      requests: 100,
      tokens: 9_900n,
      inProgress: 10,
    });
    await releaseSharedHold(pool, {
      ...shared,
      amountNanoUsd: 92_000n,
      requests: 98,
      tokens: 9_100n,
      inProgress: 9,
    });
    expect(await readUse(pool, keyId)).toEqual({
      spentNanoUsd: 3_000n,
      heldNanoUsd: 5_000n,
      requests: 2,
      tokens: 800n,
      inProgress: 1,
    });
    const last = { sharedNanoUsd: 5_000n, sharedTokens: 500n, sharedInProgress: 1 };
    await capture({ ...part, ...last, promptTokens: 10n });
    const rest = {
      spentNanoUsd: 6_000n,
      heldNanoUsd: 0n,
      requests: 2,
      tokens: 310n,
      inProgress: 0,
    };
    expect(await readUse(pool, keyId)).toEqual(rest);
    expect(await readUse(pool, accountId)).toEqual(rest);
    const { rows } = await pool.query("SELECT id FROM hold WHERE account_id = $1", [accountId]);
    expect(rows).toEqual([]);
    await ledger.setTime("2026-11-14T10:01:00Z");
    expect(await readUse(pool, keyId)).toMatchObject({ requests: 0, tokens: 0n });
  });
});
