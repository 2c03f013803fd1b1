import { randomUUID } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { BudgetPeriod, LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { extendHolds } from "../src/extend-holds.ts";
import { PrismaClient } from "../src/generated/client.ts";
import { keepHold } from "../src/keep-hold.ts";
import { listOpenHolds } from "../src/open-holds.ts";
import { createHoldTaker, type TakeRequest } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import {
  createLedgerDatabase,
  openLedger,
  openWallet,
  readWallet,
  usageEvent,
} from "./ledger-database.ts";
import { budget, limit, readUse } from "./limits-database.ts";

const holdMs = 60_000;
const dayMs = 86_400_000n;

describe("the holds of jobs", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(async () => {
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    await pool.end();
  });

  /** An account, a key of it, and what takes and keeps the hold of one job. */
  async function openJob(balance: bigint, limits: Parameters<typeof limit>[2] = {}) {
    const accountId = await openWallet(pool, balance);
    const keyId = `key_${randomUUID()}`;
    if (Object.keys(limits).length > 0) await limit(pool, accountId, limits, keyId);
    const holdId = `req_${randomUUID()}`;
    const eventId = `ocr-job:${randomUUID()}`;
    const taker = createHoldTaker(pool, holdMs);
    const locks = createWalletLocks(pool);
    const job = { holdId, accountId, keyId, eventId, alias: "reader", jobId: "job-7" };
    return {
      ...job,
      take: (estimateNanoUsd: bigint, more: Partial<TakeRequest> = {}) =>
        taker({ holdId, accountId, keyId, estimateNanoUsd, ...more }),
      keep: (amountNanoUsd: bigint, isWhole = false) =>
        keepHold(pool, locks, { ...job, amountNanoUsd, isWhole, keepMs: dayMs }),
      capture: (costNanoUsd: bigint) =>
        createCapture(pool)(usageEvent({ accountId, keyId, holdId, id: eventId, costNanoUsd })),
      lose: () => pool.query("DELETE FROM hold WHERE id = $1", [holdId]),
    };
  }

  async function holdsOf(accountId: string) {
    const page = { accountId, limit: 10, beforeHoldId: "" };
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
    const { holds } = await listOpenHolds(prisma, page);
    return holds.map(({ id, alias, jobId, amountNanoUsd, expiresAt }) => {
      const expiresInMs = Number(expiresAt.seconds) * 1_000 - Date.now();
      return { id, alias, jobId, amountNanoUsd, isKept: expiresInMs > Number(dayMs) - 60_000 };
    });
  }

  test("a kept hold stays for its time and with its job, and its request is not in progress", async () => {
    const job = await openJob(10_000n, { parallel: 1, requestsPerMinute: 5 });
    await job.take(3_000n);
    expect(await readUse(pool, job.keyId)).toMatchObject({ inProgress: 1, requests: 1 });
    for (const _ of [1, 2]) {
      expect(await job.keep(3_000n)).toMatchObject({ heldNanoUsd: 3_000n, isRecorded: false });
      // What the process that took it still sends.
      await extendHolds(pool, createWalletLocks(pool), [job.holdId], holdMs);
    }
    const use = { inProgress: 0, requests: 1, heldNanoUsd: 3_000n };
    expect(await readUse(pool, job.keyId)).toMatchObject(use);
    const own = { id: job.holdId, alias: "reader", jobId: "job-7", amountNanoUsd: 3_000n };
    expect(await holdsOf(job.accountId)).toEqual([{ ...own, isKept: true }]);
  });

  test("a hold that was lost is created again, until its event is recorded", async () => {
    const job = await openJob(10_000n);
    await job.take(3_000n);
    await job.lose();
    expect(await job.keep(3_000n)).toMatchObject({ heldNanoUsd: 3_000n });
    await job.capture(2_000n);
    expect(await job.keep(3_000n)).toMatchObject({ heldNanoUsd: 0n, isRecorded: true });
    expect(await readWallet(pool, job.accountId)).toMatchObject({ held: 0n, balance: 8_000n });
  });

  test("a hold that exists grows to an amount as far as it can, and a lost one only in full", async () => {
    const job = await openJob(10_000n, budget(5_000n, BudgetPeriod.DAY));
    await job.take(3_000n);
    expect(await job.keep(4_000n, true)).toMatchObject({ heldNanoUsd: 4_000n });
    const short = await job.keep(9_000n, true);
    expect(short).toMatchObject({ heldNanoUsd: 5_000n, refusal: { kind: LimitKind.BUDGET } });
    await job.lose();
    const refused = await job.keep(9_000n, true);
    expect(refused).toMatchObject({ heldNanoUsd: 0n, refusal: { ownerId: job.keyId } });
    expect(await job.keep(9_000n)).toMatchObject({ heldNanoUsd: 5_000n });
    const poor = await openJob(1_000n);
    const empty = await poor.keep(2_000n, true);
    expect(empty).toMatchObject({ heldNanoUsd: 0n, walletBalanceNanoUsd: 1_000n });
    expect(empty).not.toHaveProperty("refusal");
  });

  test("a job needs all of its estimate left of the budgets, and not of the wallet", async () => {
    const limits = budget(4_000n, BudgetPeriod.DAY);
    const job = await openJob(10_000n, limits);
    const refused = await job.take(4_001n, { needsBudget: true });
    expect(refused).toMatchObject({ heldNanoUsd: 0n, refusal: { kind: LimitKind.BUDGET } });
    const poor = await openJob(1_000n, limits);
    expect(await poor.take(4_001n, { needsBudget: true })).toMatchObject({ heldNanoUsd: 0n });
    expect(await poor.take(4_000n, { needsBudget: true })).toMatchObject({ heldNanoUsd: 1_000n });
    expect(await job.take(4_000n, { needsBudget: true })).toMatchObject({ heldNanoUsd: 4_000n });
  });
});
