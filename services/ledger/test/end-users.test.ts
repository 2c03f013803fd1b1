import { randomUUID } from "node:crypto";
import { BudgetPeriod, LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { keepHold } from "../src/keep-hold.ts";
import { deleteEndedUsers, listEndUsers, setTimeZone } from "../src/limits.ts";
import { takeSharedHold } from "../src/shared-hold.ts";
import { createHoldTaker, type TakeRequest } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";
import { budget, limit, openTimed, type TimedLedger } from "./limits-database.ts";

const holdMs = 60_000;
const rich = 10n ** 12n;

type Limits = Parameters<typeof limit>[2];

function perUser(amountNanoUsd: bigint, period = BudgetPeriod.DAY) {
  return { budgetPerUser: { amountNanoUsd, period } };
}

/** A key with limits for each of its end users, of an account with a large wallet. */
async function openKey(pool: pg.Pool, limits: Limits) {
  const accountId = await openWallet(pool, rich);
  const keyId = `key_${randomUUID()}`;
  await limit(pool, accountId, limits, keyId);
  const taker = createHoldTaker(pool, holdMs);
  const capturing = createCapture(pool);
  return {
    accountId,
    keyId,
    setLimits: (changed: Limits) => limit(pool, accountId, changed, keyId),
    take(endUser: string, fields: Partial<TakeRequest> = {}) {
      const ids = { holdId: randomUUID(), accountId, keyId, endUser };
      return taker({ ...ids, estimateNanoUsd: 1_000n, ...fields });
    },
    capture: (endUser: string, fields: Partial<UsageEvent>) =>
      capturing(usageEvent({ accountId, keyId, endUser, ...fields })),
    async uses() {
      const uses = await listEndUsers(pool, { keyId, limit: 0 });
      return uses.map((use) => [use.endUser, use.spentNanoUsd, use.heldNanoUsd]);
    },
  };
}

describe("the limits of end users", () => {
  let pools: pg.Pool[];
  let pool: pg.Pool;

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    pool = await openLedger(url);
    pools = [pool, await openLedger(url)];
  });

  afterAll(async () => {
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    await Promise.all(pools.map((one) => one.end()));
  });

  test.each([
    ["a budget", perUser(100_000n), LimitKind.BUDGET],
    ["requests per minute", { requestsPerMinutePerUser: 20 }, LimitKind.REQUESTS],
  ])("let each user pass exactly as often over two replicas as %s allows", async (_name, limits, kind) => {
    const { accountId, keyId } = await openKey(pool, limits);
    const takers = pools.map((one) => createHoldTaker(one, holdMs));
    const users = ["ada", "bob", ""];
    const taken = await Promise.all(
      Array.from({ length: 180 }, async (_, n) => {
        const endUser = users[n % users.length] ?? "";
        const ids = { holdId: randomUUID(), accountId, keyId, endUser };
        const grant = await takers[n % 2]?.({ ...ids, estimateNanoUsd: 5_000n });
        return { endUser, refusal: grant?.refusal };
      }),
    );
    const granted = taken.filter(({ refusal }) => refusal === undefined);
    for (const user of users) {
      expect(granted.filter(({ endUser }) => endUser === user)).toHaveLength(20);
    }
    const refused = taken.find(({ refusal }) => refusal !== undefined)?.refusal;
    expect(refused).toMatchObject({ kind, isEndUser: true, isAccount: false });
    if (kind === LimitKind.REQUESTS) expect(refused?.retryAfterMs).toBeGreaterThan(0);
    else expect(refused?.resetsAt).toBeDefined();
  });

  test("count beside the limits of the key: that of which least is left refuses", async () => {
    const limits = { ...perUser(6_000n), ...budget(10_000n, BudgetPeriod.TOTAL) };
    const { take, uses } = await openKey(pool, limits);
    expect(await take("ada", { estimateNanoUsd: 9_000n })).toMatchObject({ heldNanoUsd: 6_000n });
    const ofUser = await take("ada");
    expect(ofUser.refusal).toMatchObject({ isEndUser: true, heldNanoUsd: 6_000n });
    expect(await take("bob", { estimateNanoUsd: 9_000n })).toMatchObject({ heldNanoUsd: 4_000n });
    expect((await take("bob")).refusal).toMatchObject({ isEndUser: false });
    expect(await uses()).toEqual([
      ["ada", 0n, 6_000n],
      ["bob", 0n, 4_000n],
    ]);
  });

  test("admit the last request of a budget only while nothing else of it is held", async () => {
    const { take } = await openKey(pool, perUser(10_000n));
    await take("ada", { estimateNanoUsd: 8_000n });
    const last = { estimateNanoUsd: 5_000n, aloneBelowNanoUsd: 5_000n };
    expect((await take("ada", last)).refusal).toMatchObject({ isEndUser: true });
    expect(await take("bob", last)).toMatchObject({ heldNanoUsd: 5_000n });
  });

  test("bound the charge of a request whose hold has expired", async () => {
    const { capture, uses } = await openKey(pool, perUser(3_000n));
    await capture("ada", { costNanoUsd: 50_000n });
    expect(await uses()).toEqual([["ada", 3_000n, 0n]]);
  });

  test("count what was charged in the period before they were set or changed", async () => {
    const { take, capture, setLimits, uses } = await openKey(pool, { parallel: 100 });
    await capture("ada", { costNanoUsd: 4_000n });
    await capture("", { costNanoUsd: 2_000n });
    await setLimits(perUser(5_000n, BudgetPeriod.MONTH));
    expect(await take("ada", { estimateNanoUsd: 9_000n })).toMatchObject({ heldNanoUsd: 1_000n });
    expect(await take("", { estimateNanoUsd: 9_000n })).toMatchObject({ heldNanoUsd: 3_000n });
    await setLimits(perUser(8_000n, BudgetPeriod.WEEK));
    expect(await take("ada", { estimateNanoUsd: 9_000n })).toMatchObject({ heldNanoUsd: 3_000n });
    expect(await uses()).toEqual([
      ["ada", 4_000n, 4_000n],
      ["", 2_000n, 3_000n],
    ]);
    await setLimits({ parallel: 100 });
    expect(await uses()).toEqual([]);
  });

  test("keep no row of a user of whom nothing is held or charged", async () => {
    const { accountId, take, uses } = await openKey(pool, {
      ...perUser(5_000n),
      ...budget(1_000n, BudgetPeriod.TOTAL),
    });
    await take("ada");
    const invented = await Promise.all(Array.from({ length: 20 }, (_, n) => take(`user-${n}`)));
    expect(invented.every(({ refusal }) => refusal?.kind === LimitKind.BUDGET)).toBe(true);
    expect(await uses()).toEqual([["ada", 0n, 1_000n]]);
    const plain = { accountId, keyId: "plain", holdId: randomUUID(), endUser: "ada" };
    await createHoldTaker(pool, holdMs)({ ...plain, estimateNanoUsd: 1_000n });
    const { rows } = await pool.query(
      "SELECT end_user FROM usage_limit WHERE account_id = $1 AND end_user IS NOT NULL",
      [accountId],
    );
    expect(rows).toEqual([{ end_user: "ada" }]);
  });

  test("are those of a job's request without a user, and let no requests share a hold", async () => {
    const { accountId, keyId, take, uses } = await openKey(pool, perUser(5_000n));
    await take("", { estimateNanoUsd: 2_000n });
    const job = { eventId: randomUUID(), alias: "ocr", jobId: "job" };
    const hold = { holdId: randomUUID(), accountId, keyId, amountNanoUsd: 9_000n, isWhole: false };
    const kept = await keepHold(pool, createWalletLocks(pool), {
      ...hold,
      ...job,
      keepMs: 60_000n,
    });
    expect(kept).toMatchObject({ heldNanoUsd: 3_000n, refusal: { isEndUser: true } });
    expect(await uses()).toEqual([["", 0n, 5_000n]]);
    const shared = { holdId: randomUUID(), accountId, keyId, amountNanoUsd: 1_000n };
    expect(await takeSharedHold(pool, shared, holdMs)).toMatchObject({ granted: false });
  });

  test.each([
    ["an account", { ...perUser(5_000n) }, "budget_per_user"],
    ["no end", perUser(5_000n, BudgetPeriod.TOTAL), "budget_per_user"],
    ["nothing", { requestsPerMinutePerUser: 0 }, "requests_per_minute_per_user"],
  ])("are refused of %s", async (name, limits, param) => {
    const accountId = await openWallet(pool, rich);
    const owner = name === "an account" ? accountId : `key_${randomUUID()}`;
    const error = { code: "invalid_param", param };
    await expect(limit(pool, accountId, limits, owner)).rejects.toMatchObject(error);
  });
});

describe("the periods of end users", () => {
  let ledger: TimedLedger;

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    await (await openLedger(url)).end();
    ledger = await openTimed(url);
  });

  afterAll(() => ledger.pool.end());

  test("end with the day of the account's time zone, and then their rows are deleted", async () => {
    const { pool, setTime } = ledger;
    await setTime("2026-03-10T12:00:00Z");
    const { accountId, take, capture, uses } = await openKey(pool, perUser(5_000n));
    await setTimeZone(pool, { accountId, timeZone: "America/New_York" });
    await capture("ada", { costNanoUsd: 2_000n });
    await setTime("2026-03-11T00:30:00Z");
    await capture("ada", { costNanoUsd: 2_000n });
    await setTime("2026-03-11T03:30:00Z");
    expect(await take("ada", { estimateNanoUsd: 9_000n })).toMatchObject({ heldNanoUsd: 1_000n });
    await take("bob");
    expect(await deleteEndedUsers(pool)).toBe(0);
    await setTime("2026-03-11T04:00:00Z");
    expect(await take("ada", { estimateNanoUsd: 9_000n })).toMatchObject({ heldNanoUsd: 4_000n });
    await pool.query("DELETE FROM hold");
    // Bob was charged nothing. Ada has begun a request within the minute.
    expect(await deleteEndedUsers(pool)).toBe(1);
    await setTime("2026-03-11T04:01:02Z");
    expect(await deleteEndedUsers(pool)).toBe(1);
    expect(await uses()).toEqual([]);
    expect(await take("ada", { estimateNanoUsd: 9_000n })).toMatchObject({ heldNanoUsd: 5_000n });
  });
});
