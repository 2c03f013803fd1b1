import { create } from "@bufbuild/protobuf";
import { PrismaPg } from "@prisma/adapter-pg";
import { RequestOrder, UsageFilterSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { AmountOrder } from "@tollgate/proto/tollgate/v1/list";
import { RequestTrailSchema } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { PrismaClient } from "../src/generated/client.ts";
import { listEntries } from "../src/read-entries.ts";
import { findRequests } from "../src/requests.ts";
import { createTrailPartitions } from "../src/trail-partitions.ts";
import { captureInOrder, firstPage, trail } from "./captured-requests.ts";
import { createLedgerDatabase, openLedger, openWallet } from "./ledger-database.ts";

describe("lists of the ledger", () => {
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
    await createTrailPartitions(pool, 30);
  });

  afterAll(async () => {
    await prisma.$disconnect();
    await pool.end();
  });

  test("of requests are ordered by time, charge or duration, page by page", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const took = (durationMs: number) => create(RequestTrailSchema, { ...trail, durationMs });
    const sums = [
      [0, 300n, 40],
      [1, 900n, 10],
      [2, 300n, 70],
      [3, 0n, 90],
    ] as const;
    const events = await captureInOrder(
      pool,
      accountId,
      sums.map(([index, costNanoUsd, ms]) => ({
        ...{ costNanoUsd, trail: took(ms), alias: index === 2 ? "other" : "usual" },
        id: `req_${index}-${accountId}`,
      })),
    );
    const pages = async (order: RequestOrder, more: object = {}) => {
      const found: number[] = [];
      for (let beforeCursor = ""; ; ) {
        const page = { ...firstPage, accountId, order, limit: 2, beforeCursor, ...more };
        const { requests, nextCursor } = await findRequests({ pool, prisma }, page);
        found.push(...requests.map(({ id }) => events.findIndex((event) => event.id === id)));
        if (nextCursor === "") return found;
        beforeCursor = nextCursor;
      }
    };
    expect(await pages(RequestOrder.UNSPECIFIED)).toEqual([3, 2, 1, 0]);
    expect(await pages(RequestOrder.OLDEST)).toEqual([0, 1, 2, 3]);
    // Of those that were charged the same, the newest is first.
    expect(await pages(RequestOrder.CHARGED)).toEqual([1, 2, 0, 3]);
    expect(await pages(RequestOrder.DURATION)).toEqual([3, 2, 0, 1]);
    const filter = create(UsageFilterSchema, { alias: "usual" });
    expect(await pages(RequestOrder.CHARGED, { filter })).toEqual([1, 0, 3]);
    const ofAll = { accountId: "", filter: create(UsageFilterSchema, { alias: "other" }) };
    expect(await pages(RequestOrder.DURATION, ofAll)).toContain(2);
  });

  test("of entries are filtered by key, in both orders, page by page", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const events = await captureInOrder(
      pool,
      accountId,
      ["key_a", "key_b", "key_a", "key_a"].map((keyId) => ({ keyId, costNanoUsd: 1n })),
    );
    const list = async (more: object) => {
      const page = { accountId, limit: 2, beforeEntryId: "", filter: { keyId: "key_a" } };
      const found = await listEntries({ pool, prisma }, { ...page, ...more });
      const indexes = found.entries.map(({ eventId }) =>
        events.findIndex(({ id }) => id === eventId),
      );
      return [indexes, found.nextEntryId] as const;
    };
    const [newest, next] = await list({});
    expect(newest).toEqual([3, 2]);
    expect(await list({ beforeEntryId: next })).toEqual([[0], ""]);
    const order = AmountOrder.OLDEST;
    const [oldest, after] = await list({ order });
    expect(oldest).toEqual([0, 2]);
    expect(await list({ order, beforeEntryId: after })).toEqual([[3], ""]);
    // The top-up is the first one.
    expect((await list({ order, filter: {} }))[0]).toEqual([-1, 0]);
  });

  test("of entries are ordered by their amounts, page by page", async () => {
    const accountId = await openWallet(pool, 10_000n);
    await captureInOrder(pool, accountId, [
      { keyId: "key_a", costNanoUsd: 30n },
      { keyId: "key_b", costNanoUsd: 500n },
      { keyId: "key_a", costNanoUsd: 30n },
      { keyId: "key_a", costNanoUsd: 400n },
    ]);
    const pages = async (filter: object) => {
      const amounts: bigint[][] = [];
      for (let beforeEntryId = ""; ; ) {
        const page = { accountId, limit: 2, beforeEntryId, filter, order: AmountOrder.LARGEST };
        const { entries, nextEntryId } = await listEntries({ pool, prisma }, page);
        amounts.push(entries.map(({ amountNanoUsd }) => amountNanoUsd));
        if (nextEntryId === "") return amounts;
        beforeEntryId = nextEntryId;
      }
    };
    expect(await pages({})).toEqual([[10_000n, -500n], [-400n, -30n], [-30n]]);
    expect(await pages({ kind: "usage", keyId: "key_a" })).toEqual([[-400n, -30n], [-30n]]);
    expect(await pages({ kind: "refund" })).toEqual([[]]);
  });

  test("of requests with an error are ordered by charge, too", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const code = `error_${accountId}`;
    const cut = create(RequestTrailSchema, { ...trail, errorCode: code });
    const costs = [100n, 500n, 300n];
    const events = await captureInOrder(
      pool,
      accountId,
      costs.map((costNanoUsd, index) => ({
        ...{ costNanoUsd, trail: cut, id: `req_${index}-${accountId}` },
      })),
    );
    const page = { ...firstPage, accountId, errorCode: code, order: RequestOrder.CHARGED };
    const { requests } = await findRequests({ pool, prisma }, page);
    expect(requests.map(({ id }) => id)).toEqual([1, 2, 0].map((index) => events[index]?.id));
  });
});
