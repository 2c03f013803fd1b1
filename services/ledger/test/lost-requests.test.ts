import { randomUUID } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { Outcome } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { extendHolds } from "../src/extend-holds.ts";
import { PrismaClient } from "../src/generated/client.ts";
import { growHold } from "../src/grow-hold.ts";
import { keepHold } from "../src/keep-hold.ts";
import { findCharges } from "../src/read-entries.ts";
import { recordLostRequests, releaseExpiredHolds } from "../src/release.ts";
import { findRequests } from "../src/requests.ts";
import { createHoldTaker, type TakeRequest } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";

const model = { alias: "quick", routeType: "chat", unitType: "tokens" };
const dayMs = 86_400_000;
const failed = { outcome: Outcome.FAILED, costNanoUsd: 0n, quantity: 0n, lines: [] };

/** A process has died: its holds expire. */
describe("a request whose process died", () => {
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
  });

  afterAll(async () => {
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    await prisma.$disconnect();
    await pool.end();
  });

  /** Takes the hold of a request. */
  async function begin(more: Partial<TakeRequest> = {}) {
    const accountId = await openWallet(pool, 100_000n);
    const requestId = `req_${randomUUID()}`;
    const request = { holdId: requestId, accountId, keyId: "key_1", estimateNanoUsd: 9_000n };
    await createHoldTaker(pool, dayMs)({ ...request, ...model, ...more });
    return { accountId, requestId };
  }

  const expire = (id: string) =>
    pool.query("UPDATE hold SET expires_at = now() - interval '1 ms' WHERE id = $1", [id]);

  /** Sweeps on two replicas at the same time, as each does once a second. */
  async function sweep(lateMs: number) {
    await Promise.all([releaseExpiredHolds(pool, lateMs), releaseExpiredHolds(pool, lateMs)]);
    await Promise.all([recordLostRequests(pool), recordLostRequests(pool)]);
  }

  async function requestsOf(accountId: string) {
    const page = { onlyFailed: false, errorCode: "", limit: 100, beforeCursor: "" };
    const { requests } = await findRequests({ pool, prisma }, { ...page, accountId });
    return requests;
  }

  const makeDue = (id: string) =>
    pool.query("UPDATE lost_request SET due_at = now() - interval '1 ms' WHERE id = $1", [id]);

  test("leaves one failure that costs nothing, with its key and its model", async () => {
    const { accountId, requestId } = await begin();
    await expire(requestId);
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweep(-1);
    expect(await requestsOf(accountId)).toEqual([
      expect.objectContaining({
        requestId,
        keyId: "key_1",
        alias: "quick",
        routeType: "chat",
        unitType: "tokens",
        errorCode: "failed",
        chargedNanoUsd: 0n,
      }),
    ]);
    const { rows } = await pool.query(
      "SELECT requests, failed_requests FROM usage_hour WHERE account_id = $1",
      [accountId],
    );
    expect(rows).toEqual([{ requests: 1n, failed_requests: 1n }]);
  });

  test("leaves none where its usage event arrives later, which is charged", async () => {
    const { accountId, requestId } = await begin();
    await expire(requestId);
    await sweep(dayMs);
    expect(await requestsOf(accountId)).toEqual([]);
    const event = { id: requestId, requestId, accountId, holdId: requestId, costNanoUsd: 5_000n };
    await createCapture(pool)(usageEvent(event));
    await makeDue(requestId);
    await sweep(dayMs);
    const entries = await requestsOf(accountId);
    expect(entries.map(({ errorCode, chargedNanoUsd }) => [errorCode, chargedNanoUsd])).toEqual([
      ["", 5_000n],
    ]);
  });

  /** Captures events at once, as those of one message are. */
  async function capture(...events: Parameters<typeof usageEvent>[0][]) {
    const captured = createCapture(pool);
    await Promise.all(events.map((event) => captured(usageEvent(event))));
  }

  async function chargesOf(accountId: string, requestId: string) {
    const query = { accountId, requestIds: [requestId], withinMs: dayMs };
    return (await findCharges(pool, query)).map(({ chargedNanoUsd }) => chargedNanoUsd);
  }

  test("is charged also by a usage event that arrives after its failure was recorded, once", async () => {
    const { accountId, requestId } = await begin();
    await expire(requestId);
    await sweep(-1);
    // What a settlement partner was told never changes, so it is told nothing yet.
    expect(await chargesOf(accountId, requestId)).toEqual([]);
    const event = { id: requestId, requestId, accountId, holdId: requestId, costNanoUsd: 5_000n };
    for (let deliveries = 0; deliveries < 2; deliveries += 1) await capture(event);
    const charged = (await requestsOf(accountId)).map(({ chargedNanoUsd }) => chargedNanoUsd);
    expect(charged).toEqual([5_000n, 0n]);
    expect(await chargesOf(accountId, requestId)).toEqual([5_000n]);
  });

  test("has one failure where its process lived, and reports that it failed", async () => {
    const { accountId, requestId } = await begin();
    await expire(requestId);
    await sweep(-1);
    await capture({ ...failed, id: requestId, requestId, accountId, holdId: requestId });
    const requests = await requestsOf(accountId);
    expect(requests.map(({ id }) => id)).toEqual([`lost_${requestId}`]);
  });

  describe("that the next process reports", () => {
    const lost = (accountId: string, requestId: string) => ({
      ...{ ...failed, ...model, id: `lost_${requestId}`, requestId, accountId, keyId: "key_1" },
    });

    test("leaves one failure, however often it is reported, beside that of its hold", async () => {
      const { accountId, requestId } = await begin();
      await expire(requestId);
      await releaseExpiredHolds(pool, -1);
      const event = lost(accountId, requestId);
      await capture(event, event);
      await capture(event);
      await sweep(-1);
      const entryId = `entry_${requestId.slice("req_".length)}_lost`;
      const failure = { ...model, requestId, entryId, errorCode: "failed", chargedNanoUsd: 0n };
      expect(await requestsOf(accountId)).toEqual([expect.objectContaining(failure)]);
    });

    test("leaves none where it has an entry, and is charged by usage that arrives later", async () => {
      const { accountId, requestId } = await begin();
      const usage = { id: requestId, requestId, accountId, holdId: requestId, costNanoUsd: 5_000n };
      await capture(usage);
      await capture(lost(accountId, requestId));
      const kinds = async (id: string) =>
        (await requestsOf(id)).map(({ errorCode, chargedNanoUsd }) => [errorCode, chargedNanoUsd]);
      expect(await kinds(accountId)).toEqual([["", 5_000n]]);
      const early = await begin();
      await capture(lost(early.accountId, early.requestId));
      const { accountId: owner, requestId: id } = early;
      await capture({ ...usage, id, requestId: id, accountId: owner, holdId: id });
      expect(await kinds(owner)).toEqual([
        ["", 5_000n],
        ["failed", 0n],
      ]);
    });
  });

  test("is not lost while a process extends its hold, which is released already", async () => {
    const { accountId, requestId } = await begin();
    await expire(requestId);
    await releaseExpiredHolds(pool, -1);
    await extendHolds(pool, createWalletLocks(pool), [requestId], dayMs);
    await sweep(-1);
    expect(await requestsOf(accountId)).toEqual([]);
  });

  test("leaves one failure where its hold grew again after it had expired", async () => {
    const { accountId, requestId } = await begin();
    await expire(requestId);
    await sweep(dayMs);
    const grown = { holdId: requestId, accountId, keyId: "key_1", estimateNanoUsd: 1_000n };
    await growHold(pool, grown, dayMs);
    await makeDue(requestId);
    await sweep(-1);
    expect(await requestsOf(accountId)).toEqual([]);
    await expire(requestId);
    await sweep(-1);
    expect(await requestsOf(accountId)).toEqual([
      expect.objectContaining({ requestId, ...model, errorCode: "failed", chargedNanoUsd: 0n }),
    ]);
  });

  test("leaves none where its hold is that of a job, or is for none of its models", async () => {
    const kept = await begin();
    const { accountId, requestId } = kept;
    const job = { alias: "reader", jobId: "job-7", eventId: "ocr-job:1", keyId: "key_1" };
    const amount = { amountNanoUsd: 9_000n, isWhole: false, keepMs: 0n };
    const hold = { holdId: requestId, accountId, ...job, ...amount };
    await keepHold(pool, createWalletLocks(pool), hold);
    const plain = await begin({ routeType: "" });
    for (const one of [kept, plain]) await expire(one.requestId);
    await sweep(-1);
    expect(await requestsOf(kept.accountId)).toEqual([]);
    expect(await requestsOf(plain.accountId)).toEqual([]);
  });
});
