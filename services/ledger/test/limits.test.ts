import { randomUUID } from "node:crypto";
import { BudgetPeriod, LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { growHold } from "../src/grow-hold.ts";
import { createLedgerHolds } from "../src/holds.ts";
import { listLimits } from "../src/limits.ts";
import { trackCaptures } from "../src/pending-captures.ts";
import { releaseExpiredHolds } from "../src/release.ts";
import { takeSharedHold } from "../src/shared-hold.ts";
import { createHoldTaker, type TakeRequest } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import {
  createLedgerDatabase,
  openLedger,
  openWallet,
  readWallet,
  usageEvent,
} from "./ledger-database.ts";
import { budget, limit, readUse } from "./limits-database.ts";

const holdMs = 60_000;
const rich = 10n ** 12n;

describe("the limits of keys and accounts", () => {
  let pools: pg.Pool[];
  let pool: pg.Pool;

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    pool = await openLedger(url);
    pools = [pool, await openLedger(url), await openLedger(url)];
  });

  afterAll(async () => {
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    await Promise.all(pools.map((one) => one.end()));
  });

  /** Takes many holds at once over three replicas. Resolves with the grants. */
  async function takeMany(count: number, fields: { accountId: string; keyId: string }) {
    const takers = pools.map((one) => createHoldTaker(one, holdMs));
    const grants = Array.from({ length: count }, (_, index) => {
      const holdId = `${fields.keyId}-${index}-${randomUUID()}`;
      const request = { holdId, estimateNanoUsd: 5_000n, tokens: 10n, ...fields };
      return takers[index % takers.length]?.(request);
    });
    const all = (await Promise.all(grants)).map((grant) => grant ?? expect.unreachable());
    return { granted: all.filter(({ refusal }) => !refusal), all };
  }

  const newKey = () => `key_${randomUUID()}`;

  test.each([
    ["a budget", budget(500_000n, BudgetPeriod.DAY), LimitKind.BUDGET],
    ["requests per minute", { requestsPerMinute: 100 }, LimitKind.REQUESTS],
    ["tokens per minute", { tokensPerMinute: 1_000n }, LimitKind.TOKENS],
    ["parallel requests", { parallel: 100 }, LimitKind.PARALLEL],
  ])("let exactly as many of 500 concurrent requests over three replicas pass as %s allows", async (_name, limits, kind) => {
    const accountId = await openWallet(pool, rich);
    const [keyId, other] = [newKey(), newKey()];
    await limit(pool, accountId, limits, keyId);
    const [{ granted, all }, others] = await Promise.all([
      takeMany(500, { accountId, keyId }),
      takeMany(30, { accountId, keyId: other }),
    ]);
    expect(granted).toHaveLength(100);
    const refusals = all.flatMap(({ refusal }) => refusal ?? []);
    expect(new Set(refusals.map((refusal) => refusal.kind))).toEqual(new Set([kind]));
    expect(refusals[0]).toMatchObject({ ownerId: keyId, isAccount: false, limits });
    expect(others.granted).toHaveLength(30);
    expect(await readUse(pool, keyId)).toEqual({
      spentNanoUsd: 0n,
      heldNanoUsd: 500_000n,
      requests: 100,
      tokens: 1_000n,
      inProgress: 100,
    });
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 650_000n });
  });

  /** An account with a large wallet, and a key of it with limits. */
  async function openLimited(limits: Parameters<typeof limit>[2]) {
    const accountId = await openWallet(pool, rich);
    const keyId = newKey();
    await limit(pool, accountId, limits, keyId);
    const taker = createHoldTaker(pool, holdMs);
    let number = 0;
    const take = (fields: Partial<TakeRequest> = {}) => {
      number += 1;
      const holdId = `${keyId}-${number}`;
      return taker({ holdId, accountId, keyId, estimateNanoUsd: 1_000n, ...fields });
    };
    const capturing = createCapture(pool);
    const capture = (fields: Partial<UsageEvent>) =>
      capturing(usageEvent({ accountId, keyId, ...fields }));
    return { accountId, keyId, take, capture, use: () => readUse(pool, keyId) };
  }

  test("a second event of one hold takes its charge from the budget, which still limits a third", async () => {
    const { keyId, take, capture, use } = await openLimited(budget(10_000n, BudgetPeriod.TOTAL));
    await take({ estimateNanoUsd: 4_000n });
    const holdId = `${keyId}-1`;
    // Captured in one statement.
    await Promise.all([
      capture({ holdId, costNanoUsd: 4_000n }),
      capture({ holdId, costNanoUsd: 3_000n }),
      capture({ costNanoUsd: 50_000n }),
    ]);
    expect(await use()).toMatchObject({ heldNanoUsd: 0n, spentNanoUsd: 10_000n });
  });

  test("a hold takes at most what the budgets of its key and its account have left", async () => {
    const { accountId, keyId, take, use } = await openLimited(budget(10_000n, BudgetPeriod.TOTAL));
    expect(await take({ estimateNanoUsd: 4_000n })).toMatchObject({ heldNanoUsd: 4_000n });
    expect(await take({ estimateNanoUsd: 9_000n })).toMatchObject({ heldNanoUsd: 6_000n });
    const refused = await take();
    expect(refused).toMatchObject({ heldNanoUsd: 0n, walletHeldNanoUsd: 10_000n });
    expect(refused.refusal).toMatchObject({
      kind: LimitKind.BUDGET,
      ownerId: keyId,
      isAccount: false,
      heldNanoUsd: 10_000n,
      limits: budget(10_000n, BudgetPeriod.TOTAL),
    });
    expect(await use()).toMatchObject({ heldNanoUsd: 10_000n, inProgress: 2 });
    await limit(pool, accountId, budget(13_000n, BudgetPeriod.DAY));
    const other = await take({ keyId: "other", estimateNanoUsd: 5_000n });
    expect(other).toMatchObject({ heldNanoUsd: 3_000n });
    const { refusal } = await take({ keyId: "other" });
    expect(refusal).toMatchObject({ ownerId: accountId, isAccount: true, heldNanoUsd: 13_000n });
    expect(refusal?.resetsAt).toBeDefined();
  });

  test("a hold that needs its complete estimate is refused by a budget that has less", async () => {
    const { take } = await openLimited(budget(10_000n, BudgetPeriod.WEEK));
    const refused = await take({ estimateNanoUsd: 11_000n, isWhole: true });
    expect(refused).toMatchObject({ heldNanoUsd: 0n, refusal: { kind: LimitKind.BUDGET } });
    expect(await take({ estimateNanoUsd: 10_000n, isWhole: true })).toMatchObject({
      heldNanoUsd: 10_000n,
    });
  });

  test("a request that its hold cannot pay is held only while nothing else of the budget is", async () => {
    const { accountId, keyId, take, capture, use } = await openLimited(
      budget(13_000n, BudgetPeriod.DAY),
    );
    const costly = { estimateNanoUsd: 40_000n, aloneBelowNanoUsd: 40_000n };
    await take({ estimateNanoUsd: 10_000n });
    const refused = await take(costly);
    expect(refused).toMatchObject({ heldNanoUsd: 0n, refusal: { kind: LimitKind.BUDGET } });
    // The holds of other keys are of the wallet, which can pay.
    await take({ keyId: "other", estimateNanoUsd: 10_000n });
    await capture({ holdId: `${keyId}-1`, costNanoUsd: 1_000n });
    expect(await take(costly)).toMatchObject({ heldNanoUsd: 12_000n });
    expect(await take(costly)).toMatchObject({ heldNanoUsd: 0n });
    await limit(pool, accountId, budget(30_000n, BudgetPeriod.DAY));
    expect(await take({ ...costly, keyId: "other" })).toMatchObject({
      heldNanoUsd: 0n,
      refusal: { ownerId: accountId },
    });
    expect(await use()).toMatchObject({ heldNanoUsd: 12_000n, inProgress: 1 });
  });

  test("an empty wallet is refused as one without limits is", async () => {
    const accountId = await openWallet(pool, 1_000n);
    const limits = { ...budget(10_000n, BudgetPeriod.DAY), requestsPerMinute: 1 };
    await limit(pool, accountId, limits);
    const take = createHoldTaker(pool, holdMs);
    await take({ holdId: `${accountId}-1`, accountId, estimateNanoUsd: 5_000n });
    const refused = await take({ holdId: `${accountId}-2`, accountId, estimateNanoUsd: 5_000n });
    expect(refused).toMatchObject({ heldNanoUsd: 0n, rates: { requests: { remaining: 0n } } });
    expect(refused.refusal).toBeUndefined();
  });

  test("the budget is refused first, then requests in progress, requests and tokens", async () => {
    const { accountId, keyId, take } = await openLimited({
      ...budget(1_000n, BudgetPeriod.DAY),
      parallel: 1,
      requestsPerMinute: 1,
      tokensPerMinute: 1n,
    });
    await take({ tokens: 1n });
    const order: (LimitKind | undefined)[] = [];
    const next = async () => order.push((await take({ tokens: 1n })).refusal?.kind);
    await next();
    const rest = { requestsPerMinute: 1, tokensPerMinute: 1n };
    await limit(pool, accountId, { parallel: 1, ...rest }, keyId);
    await next();
    await limit(pool, accountId, rest, keyId);
    await next();
    await limit(pool, accountId, { tokensPerMinute: 1n }, keyId);
    await next();
    const { BUDGET, PARALLEL, REQUESTS, TOKENS } = LimitKind;
    expect(order).toEqual([BUDGET, PARALLEL, REQUESTS, TOKENS]);
  });

  test("a request that costs nothing holds zero, counts against rates and needs no budget", async () => {
    const limits = { ...budget(1_000n, BudgetPeriod.DAY), requestsPerMinute: 3, parallel: 2 };
    const { keyId, take, capture, use } = await openLimited(limits);
    await take();
    const free = await take({ holdId: `${keyId}-free`, estimateNanoUsd: 0n });
    expect(free.refusal).toBeUndefined();
    expect(await use()).toMatchObject({ heldNanoUsd: 1_000n, requests: 2, inProgress: 2 });
    const third = await take({ estimateNanoUsd: 0n });
    expect(third.refusal).toMatchObject({ kind: LimitKind.PARALLEL, retryAfterMs: 1_000 });
    await capture({ holdId: `${keyId}-free` });
    expect(await use()).toMatchObject({ requests: 2, inProgress: 1 });
  });

  test("one statement counts what several accounts use, each against its own limits", async () => {
    const limits = {
      ...budget(rich, BudgetPeriod.DAY),
      requestsPerMinute: 100,
      tokensPerMinute: 900n,
    };
    const [one, two] = [await openLimited(limits), await openLimited(limits)];
    const take = createHoldTaker(pool, holdMs);
    const capture = createCapture(pool);
    const requests = [one, two, one, two, one].map(({ accountId, keyId }, index) => ({
      ...{ accountId, keyId, holdId: `${keyId}-${index}` },
      number: BigInt(index + 1),
    }));
    await Promise.all(
      requests.map(({ number, ...about }) =>
        take({ ...about, estimateNanoUsd: 5_000n * number, tokens: 10n * number }),
      ),
    );
    const sums = { spentNanoUsd: 0n, requests: 3, inProgress: 3 };
    expect(await one.use()).toEqual({ ...sums, heldNanoUsd: 45_000n, tokens: 90n });
    expect(await two.use()).toEqual({
      ...sums,
      requests: 2,
      inProgress: 2,
      heldNanoUsd: 30_000n,
      tokens: 60n,
    });
    await Promise.all(
      requests.map(({ number, ...about }) =>
        capture(
          usageEvent({
            ...about,
            costNanoUsd: 1_000n * number,
            unitType: "tokens",
            quantity: number,
          }),
        ),
      ),
    );
    const settled = { heldNanoUsd: 0n, inProgress: 0 };
    expect(await one.use()).toEqual({ ...settled, spentNanoUsd: 9_000n, requests: 3, tokens: 9n });
    expect(await two.use()).toEqual({ ...settled, spentNanoUsd: 6_000n, requests: 2, tokens: 6n });
  });

  test("a hold grows by what the budget has left, and is then refused", async () => {
    const { accountId, keyId, take, use } = await openLimited(budget(10_000n, BudgetPeriod.MONTH));
    const holdId = `${keyId}-grown`;
    await take({ holdId, estimateNanoUsd: 6_000n });
    const growth = { holdId, accountId, keyId, estimateNanoUsd: 5_000n };
    expect(await growHold(pool, growth, holdMs)).toMatchObject({ heldNanoUsd: 4_000n });
    const refused = await growHold(pool, growth, holdMs);
    expect(refused).toMatchObject({ heldNanoUsd: 0n, refusal: { ownerId: keyId } });
    expect(await use()).toMatchObject({ heldNanoUsd: 10_000n, inProgress: 1, requests: 1 });
  });

  test("a request of a shared hold is in progress once, also when it grows by a hold of its own", async () => {
    const { accountId, keyId, capture, use } = await openLimited({ parallel: 64 });
    const sharedHoldId = `${keyId}-shared`;
    const slice = { amountNanoUsd: 10_000n, requests: 2, inProgress: 2 };
    const shared = { holdId: sharedHoldId, accountId, keyId, ...slice };
    expect((await takeSharedHold(pool, shared, holdMs)).granted).toBe(true);
    const holdId = `${keyId}-grown`;
    const growth = { holdId, accountId, keyId, estimateNanoUsd: 5_000n, isCounted: true };
    await growHold(pool, growth, holdMs);
    expect(await use()).toMatchObject({ heldNanoUsd: 15_000n, inProgress: 2 });
    await capture({ holdId, sharedHoldId, sharedNanoUsd: 5_000n, sharedInProgress: 1 });
    expect(await use()).toMatchObject({ heldNanoUsd: 5_000n, inProgress: 1 });
  });

  test("the tokens of a request with two holds are counted once", async () => {
    const { accountId, keyId, capture, use } = await openLimited({ tokensPerMinute: 160_000n });
    const sharedHoldId = `${keyId}-shared`;
    const slice = { amountNanoUsd: 10_000n, requests: 2, tokens: 1_000n, inProgress: 2 };
    const shared = { holdId: sharedHoldId, accountId, keyId, ...slice };
    expect((await takeSharedHold(pool, shared, holdMs)).granted).toBe(true);
    const holdId = `${keyId}-grown`;
    await growHold(pool, { holdId, accountId, keyId, estimateNanoUsd: 5_000n }, holdMs);
    await capture({ holdId, sharedHoldId, sharedTokens: 100n, quantity: 300n, unitType: "tokens" });
    expect(await use()).toMatchObject({ tokens: 1_200n });
  });

  test("what a request leaves of its part of a shared hold is left of the budget for the next", async () => {
    const { accountId, keyId, take, use } = await openLimited(budget(160_000n, BudgetPeriod.TOTAL));
    const sharedHoldId = `${keyId}-shared`;
    const shared = { holdId: sharedHoldId, accountId, keyId, amountNanoUsd: 10_000n };
    expect((await takeSharedHold(pool, shared, holdMs)).granted).toBe(true);
    await take({ estimateNanoUsd: 150_000n });
    const owned = { accountId, keyId };
    const capture = createCapture(pool);
    await Promise.all([
      capture(usageEvent({ ...owned, sharedHoldId, sharedNanoUsd: 10_000n, costNanoUsd: 1_000n })),
      capture(usageEvent({ ...owned, costNanoUsd: 4_000n })),
    ]);
    expect(await use()).toMatchObject({ spentNanoUsd: 5_000n, heldNanoUsd: 150_000n });
  });

  test("a hold that expires releases its part of the budget and is in progress no longer", async () => {
    const { accountId, keyId, take, use } = await openLimited({
      ...budget(10_000n, BudgetPeriod.TOTAL),
      parallel: 1,
    });
    await take({ holdId: `${keyId}-expired`, estimateNanoUsd: 10_000n });
    expect((await take()).refusal?.kind).toBe(LimitKind.BUDGET);
    await pool.query("UPDATE hold SET expires_at = now() - interval '1 s' WHERE account_id = $1", [
      accountId,
    ]);
    await releaseExpiredHolds(pool, 0);
    expect(await use()).toMatchObject({ heldNanoUsd: 0n, inProgress: 0, requests: 1 });
    expect((await take()).refusal).toBeUndefined();
  });

  test("a charge exceeds its hold by what the budget has left at most", async () => {
    const { keyId, take, capture, use } = await openLimited(budget(10_000n, BudgetPeriod.TOTAL));
    await take({ holdId: `${keyId}-a`, estimateNanoUsd: 3_000n });
    await take({ holdId: `${keyId}-b`, estimateNanoUsd: 4_000n });
    await capture({ holdId: `${keyId}-a`, costNanoUsd: 9_000n });
    expect(await use()).toMatchObject({ spentNanoUsd: 6_000n, heldNanoUsd: 4_000n });
    await capture({ holdId: `${keyId}-b`, costNanoUsd: 9_000n });
    expect(await use()).toMatchObject({ spentNanoUsd: 10_000n, heldNanoUsd: 0n });
    await capture({ costNanoUsd: 1_000n });
    expect(await use()).toMatchObject({ spentNanoUsd: 10_000n });
  });

  test("a request in progress is charged what it holds though its budget was lowered", async () => {
    const { accountId, keyId, take, capture, use } = await openLimited(
      budget(10_000n, BudgetPeriod.TOTAL),
    );
    await take({ holdId: `${keyId}-a`, estimateNanoUsd: 5_000n });
    await limit(pool, accountId, budget(2_000n, BudgetPeriod.TOTAL), keyId);
    expect((await take()).refusal?.kind).toBe(LimitKind.BUDGET);
    await capture({ holdId: `${keyId}-a`, costNanoUsd: 9_000n });
    expect(await use()).toMatchObject({ spentNanoUsd: 5_000n, heldNanoUsd: 0n });
  });

  test("limits that are removed limit nothing any more", async () => {
    const { accountId, keyId, take } = await openLimited({ requestsPerMinute: 1 });
    await take();
    expect((await take()).refusal?.kind).toBe(LimitKind.REQUESTS);
    expect(await limit(pool, accountId, {}, keyId)).toBeUndefined();
    expect(await take()).toMatchObject({ heldNanoUsd: 1_000n });
    expect((await take()).refusal).toBeUndefined();
  });

  test("a client that sends one request after the other needs one request in progress", async () => {
    const { accountId, keyId } = await openLimited({ parallel: 1 });
    const { signal } = new AbortController();
    const captures = trackCaptures(createCapture(pool));
    const { takeHold } = createLedgerHolds(pool, holdMs, captures);
    for (let n = 0; n < 20; n += 1) {
      const holdId = `${keyId}-sequential-${n}`;
      const request = { holdId, accountId, keyId, estimateNanoUsd: 1_000n };
      expect((await takeHold(request, signal)).refusal).toBeUndefined();
      void captures.capture(usageEvent({ accountId, keyId, holdId, costNanoUsd: 1_000n }));
    }
    await captures.flush();
  });

  test("a request waits up to a second for one in progress at another replica", async () => {
    const { accountId, keyId, take, capture } = await openLimited({ parallel: 1 });
    const { signal } = new AbortController();
    const { takeHold } = createLedgerHolds(pool, holdMs, trackCaptures(createCapture(pool)));
    const request = { accountId, keyId, estimateNanoUsd: 1_000n };
    await take({ holdId: `${keyId}-other` });
    const refused = await takeHold({ ...request, holdId: `${keyId}-refused` }, signal);
    expect(refused.refusal?.kind).toBe(LimitKind.PARALLEL);
    const waiting = takeHold({ ...request, holdId: `${keyId}-waiting` }, signal);
    await capture({ holdId: `${keyId}-other`, costNanoUsd: 1_000n });
    expect(await waiting).toMatchObject({ heldNanoUsd: 1_000n });
  });

  test("a hold that a budget or a limit of tokens refuses waits for pending captures", async () => {
    const limits = { ...budget(10_000n, BudgetPeriod.DAY), tokensPerMinute: 1_000n };
    const { accountId, keyId } = await openLimited(limits);
    const { signal } = new AbortController();
    const captures = trackCaptures(createCapture(pool));
    const { takeHold } = createLedgerHolds(pool, holdMs, captures);
    const call = { accountId, keyId, estimateNanoUsd: 9_000n, tokens: 900n };
    await takeHold({ ...call, holdId: `${keyId}-1` }, signal);
    const cost = { costNanoUsd: 1_000n, promptTokens: 50n };
    void captures.capture(usageEvent({ accountId, keyId, holdId: `${keyId}-1`, ...cost }));
    expect(await takeHold({ ...call, holdId: `${keyId}-2` }, signal)).toMatchObject({
      heldNanoUsd: 9_000n,
      rates: { tokens: { remaining: 50n } },
    });
  });

  test.each([
    ["a budget of nothing", budget(0n, BudgetPeriod.DAY), "budget"],
    ["a budget of less than a micro-USD", budget(1_500n, BudgetPeriod.DAY), "budget"],
    ["a budget above the maximum", budget(10n ** 18n + 1_000n, BudgetPeriod.DAY), "budget"],
    ["a budget without a period", budget(1_000n, BudgetPeriod.UNSPECIFIED), "budget"],
    ["no requests", { requestsPerMinute: 0 }, "requests_per_minute"],
    ["no tokens", { tokensPerMinute: 0n }, "tokens_per_minute"],
    ["more tokens than can be stored", { tokensPerMinute: 2n ** 63n }, "tokens_per_minute"],
    ["no requests in progress", { parallel: 0 }, "parallel"],
  ])("%s is no limit", async (_name, limits, param) => {
    const accountId = await openWallet(pool, rich);
    const set = limit(pool, accountId, limits);
    await expect(set).rejects.toMatchObject({ code: "invalid_param", param });
    expect(await listLimits(pool, [accountId])).toEqual([]);
  });

  test("limits can be set before the account has a wallet", async () => {
    const accountId = `acct_${randomUUID()}`;
    await limit(pool, accountId, { parallel: 3 });
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 0n });
    expect(await listLimits(pool, [accountId, "key_none"])).toMatchObject([
      { ownerId: accountId, limits: { parallel: 3 }, inProgress: 0 },
    ]);
  });
});
