import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { PrismaPg } from "@prisma/adapter-pg";
import { RequestOrder, UsageBy, UsageFilterSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { AmountOrder } from "@tollgate/proto/tollgate/v1/list";
import {
  AttemptSchema,
  Outcome,
  RequestTrailSchema,
  type UsageEvent,
} from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { PrismaClient } from "../src/generated/client.ts";
import { listOpenHolds } from "../src/open-holds.ts";
import { sumOverview } from "../src/overview.ts";
import { listEntries } from "../src/read-entries.ts";
import { findRequestEntries, findRequests, toRequests } from "../src/requests.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { createTrailPartitions } from "../src/trail-partitions.ts";
import { sumUsage } from "../src/usage-sums.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";

const trail = create(RequestTrailSchema, {
  attempts: [
    {
      provider: "one",
      upstreamModel: "m1",
      startedMs: 1,
      durationMs: 40,
      errorCode: "rejected",
      status: 503,
    },
    { provider: "two", upstreamModel: "m2", startedMs: 41, durationMs: 59 },
  ],
  durationMs: 100,
  firstTokenMs: 60,
  traceId: "0af7651916cd43dd8448eb211c80319c",
  heldNanoUsd: 9_000n,
  isStreamed: true,
});

describe("requests", () => {
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

  const all = { onlyFailed: false, errorCode: "", limit: 100, beforeCursor: "" };

  /** Captures events one after the other, so that their order is known. */
  async function capture(
    accountId: string,
    ...events: Partial<UsageEvent>[]
  ): Promise<UsageEvent[]> {
    const captured = events.map((fields) => usageEvent({ accountId, trail, ...fields }));
    for (const event of captured) await createCapture(pool)(event);
    return captured;
  }

  test("have the slots that were tried, their times, and what was held and charged", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const served = { provider: "two", upstreamModel: "m2", alias: "fast", costNanoUsd: 4_000n };
    const [event] = await capture(accountId, served);
    const page = await findRequests({ pool, prisma }, { ...all, accountId });
    expect(page).toMatchObject({
      nextCursor: "",
      requests: [
        {
          id: event?.id,
          requestId: event?.requestId,
          provider: "two",
          attempts: [
            { provider: "one", durationMs: 40, errorCode: "rejected", status: 503 },
            { provider: "two", startedMs: 41, durationMs: 59, errorCode: "" },
          ],
          durationMs: 100,
          firstTokenMs: 60,
          errorCode: "",
          traceId: "0af7651916cd43dd8448eb211c80319c",
          heldNanoUsd: 9_000n,
          chargedNanoUsd: 4_000n,
          isStreamed: true,
        },
      ],
    });
    const entries = await findRequestEntries({ pool, prisma }, { id: event?.id ?? "", accountId });
    expect(await toRequests({ pool }, entries)).toMatchObject([{ durationMs: 100 }]);
    const others = await findRequestEntries(
      { pool, prisma },
      { id: event?.id ?? "", accountId: "acct_x" },
    );
    expect(others).toEqual([]);
  });

  test("that failed have the error, and the last slot that was tried", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const failed = {
      ...trail,
      attempts: trail.attempts.slice(0, 1),
      errorCode: "upstream_rejected",
    };
    await capture(accountId, {}, { outcome: Outcome.FAILED, trail: failed });
    const page = await findRequests({ pool, prisma }, { ...all, accountId, onlyFailed: true });
    expect(page.requests).toMatchObject([
      { errorCode: "upstream_rejected", provider: "one", chargedNanoUsd: 0n },
    ]);
  });

  test("are found by any id that the client, the response or a provider gave them", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const ids = {
      clientRequestId: `mine ${accountId}`,
      responseId: `resp-${accountId}`,
      failed: `failed-${accountId}`,
      provider: `call-${accountId}`,
    };
    const attempts = [
      create(AttemptSchema, { provider: "one", providerRequestId: ids.failed, reason: "no" }),
      create(AttemptSchema, {
        provider: "two",
        providerRequestId: ids.provider,
        providerResponseId: ids.responseId,
      }),
    ];
    const { clientRequestId, responseId } = ids;
    const named = { ...trail, attempts, clientRequestId, responseId };
    const requestId = `req_${randomUUID().replaceAll("-", "")}`;
    const [event] = await capture(accountId, { requestId, trail: named }, {});
    const find = async (id: string, of = accountId) =>
      (await findRequestEntries({ pool, prisma }, { id, accountId: of })).map(
        ({ eventId }) => eventId,
      );
    const digits = requestId.slice("req_".length);
    const own = [requestId, `chatcmpl-${digits}`, `msg_${digits}`, `resp_${digits}`];
    const another = await openWallet(pool, 10_000n);
    for (const id of [...own, ...Object.values(ids)]) {
      expect(await find(id), id).toEqual([event?.id]);
      expect(await find(id, ""), id).toEqual([event?.id]);
      expect(await find(id, another), id).toEqual([]);
    }
    expect(await find("no-such-id")).toEqual([]);
    // The filters of full ranges find it, too.
    await pool.query(
      "SELECT brin_summarize_new_values(oid) FROM pg_class WHERE relkind = 'i' AND relname LIKE 'request_other_id%id_idx'",
    );
    expect(await find(ids.provider)).toEqual([event?.id]);
    const { rows } = await pool.query("SELECT * FROM request_other_id WHERE account_id = $1", [
      accountId,
    ]);
    expect(rows).toHaveLength(Object.keys(ids).length);
  });

  test("an id is searched by the filters of its index, not in whole tables", async () => {
    await pool.query("SET enable_seqscan = off");
    const { rows } = await pool.query(
      "EXPLAIN SELECT entry_id FROM request_other_id WHERE id = 'x' ORDER BY recorded_at DESC LIMIT 20",
    );
    await pool.query("RESET enable_seqscan");
    const plan = JSON.stringify(rows);
    expect(plan).toContain("Bitmap Index Scan on request_other_id");
    expect(plan).not.toContain("Seq Scan");
  });

  test("are paged, of an account and of all, newest first and each once", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const events = await capture(accountId, ...Array.from({ length: 7 }, () => ({})));
    for (const of of [accountId, ""]) {
      const seen: string[] = [];
      let cursor = "";
      do {
        const page = { ...all, accountId: of, limit: 3, beforeCursor: cursor };
        const { requests, nextCursor } = await findRequests({ pool, prisma }, page);
        seen.push(...requests.map((one) => one.id));
        cursor = nextCursor;
      } while (cursor !== "");
      const own = seen.filter((id) => events.some((event) => event.id === id));
      expect(own.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  test("have the time of their arrival", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const ended = Date.UTC(2026, 10, 1, 12);
    await capture(accountId, { trail, occurredAt: timestampFromMs(ended) });
    const { requests } = await findRequests({ pool, prisma }, { ...all, accountId });
    expect(requests.map(({ occurredAt }) => timestampMs(occurredAt))).toEqual([
      ended - trail.durationMs,
    ]);
  });

  test("are filtered by key, model, provider, route and time", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const fields = { keyId: "k1", alias: "a1", provider: "p1", routeType: "images" };
    const [one] = await capture(accountId, fields, { keyId: "k2", alias: "a2", provider: "p2" });
    const find = (page: object) => findRequests({ pool, prisma }, { ...all, accountId, ...page });
    for (const [name, value] of Object.entries(fields)) {
      const filter = { keyId: "", alias: "", provider: "", routeType: "", [name]: value };
      const { requests } = await find({ filter });
      expect(requests.map(({ id }) => id)).toEqual([one?.id]);
    }
    const withoutAttempts = create(RequestTrailSchema, { durationMs: 5 });
    const without = create(UsageFilterSchema, { without: [UsageBy.PLAN, UsageBy.PROVIDER] });
    const [none] = await capture(
      accountId,
      { trail: withoutAttempts },
      { trail: withoutAttempts, plan: "gold" },
    );
    const ids = async (page: object) => (await find(page)).requests.map(({ id }) => id);
    expect(await ids({ filter: without })).toEqual([none?.id]);
    expect(await ids({ otherThanKeyIds: ["k2", ""] })).toEqual([one?.id]);
    const later = new Date(Date.now() + 60_000);
    expect((await find({ from: later })).requests).toEqual([]);
    expect((await find({ to: later })).requests).toHaveLength(4);
  });

  test("are ordered by their time, what they were charged and how long they took, page by page", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const took = (durationMs: number) => create(RequestTrailSchema, { ...trail, durationMs });
    const sums: readonly (readonly [number, bigint, number])[] = [
      ...([
        [0, 300n, 40],
        [1, 900n, 10],
        [2, 300n, 70],
        [3, 0n, 90],
      ] as const),
    ];
    const events = await capture(
      accountId,
      ...sums.map(([index, costNanoUsd, ms]) => ({
        ...{ costNanoUsd, trail: took(ms), alias: index === 2 ? "other" : "usual" },
        id: `req_${index}-${accountId}`,
      })),
    );
    const pages = async (order: RequestOrder, more: object = {}) => {
      const found: number[] = [];
      for (let beforeCursor = ""; ; ) {
        const page = { ...all, accountId, order, limit: 2, beforeCursor, ...more };
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

  test("have entries that are listed by their key, in both orders, page by page", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const events = await capture(
      accountId,
      ...["key_a", "key_b", "key_a", "key_a"].map((keyId) => ({ keyId, costNanoUsd: 1n })),
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

  test("have entries that are listed by their amounts, page by page", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const charges = [
      { keyId: "key_a", costNanoUsd: 30n },
      { keyId: "key_b", costNanoUsd: 500n },
      { keyId: "key_a", costNanoUsd: 30n },
      { keyId: "key_a", costNanoUsd: 400n },
    ];
    await capture(accountId, ...charges);
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

  test("that ended with an error are ordered by what they were charged, too", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const code = `error_${accountId}`;
    const cut = create(RequestTrailSchema, { ...trail, errorCode: code });
    const costs = [100n, 500n, 300n];
    const events = await capture(
      accountId,
      ...costs.map((costNanoUsd, index) => ({
        ...{ costNanoUsd, trail: cut, id: `req_${index}-${accountId}` },
      })),
    );
    const page = { ...all, accountId, errorCode: code, order: RequestOrder.CHARGED };
    const { requests } = await findRequests({ pool, prisma }, page);
    expect(requests.map(({ id }) => id)).toEqual([1, 2, 0].map((index) => events[index]?.id));
  });

  test("are found by the error with which they ended, of an account and of all, page by page", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const code = `error_${accountId}`;
    const failed = (errorCode: string) => ({
      outcome: Outcome.FAILED,
      trail: { ...trail, errorCode },
    });
    const ended: Partial<UsageEvent>[] = [
      {},
      { ...failed(code), alias: "a1" },
      failed("other"),
      // A stream that was charged, and then cut.
      { trail: { ...trail, errorCode: code }, costNanoUsd: 1_000n },
      failed(code),
    ];
    // Ids ascend, as those of requests do.
    const events = await capture(
      accountId,
      ...ended.map((event, index) => ({ ...event, id: `req_${index}-${accountId}` })),
    );
    const expected = [4, 3, 1].map((index) => events[index]?.id);
    const find = (page: object) =>
      findRequests({ pool, prisma }, { ...all, accountId, errorCode: code, ...page });
    for (const of of [accountId, ""]) {
      const first = await find({ accountId: of, limit: 2 });
      expect(first.requests.map(({ id }) => id)).toEqual(expected.slice(0, 2));
      expect(first.requests[0]).toMatchObject({ errorCode: code, lines: [] });
      const next = await find({ accountId: of, limit: 2, beforeCursor: first.nextCursor });
      expect(next).toMatchObject({ nextCursor: "", requests: [{ id: expected[2] }] });
    }
    const filter = { keyId: "", alias: "a1", provider: "", routeType: "" };
    expect((await find({ filter })).requests).toMatchObject([{ id: expected[2] }]);
    expect((await find({ onlyFailed: true })).requests).toHaveLength(2);
    expect((await find({ from: new Date(Date.now() + 60_000) })).requests).toEqual([]);
    const another = await openWallet(pool, 10_000n);
    expect((await find({ accountId: another })).requests).toEqual([]);
    const { rows } = await pool.query(
      "SELECT count(*)::int AS n FROM request_trail WHERE (error_code IS NULL) <> (account_id IS NULL)",
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test("lose their trail after the days for which it is stored, and not their entry", async () => {
    const accountId = await openWallet(pool, 10_000n);
    await capture(accountId, { costNanoUsd: 1_000n });
    await pool.query(`
      CREATE TABLE request_trail_2020_01_01 PARTITION OF request_trail
      FOR VALUES FROM ('2020-01-01T00:00Z') TO ('2020-01-02T00:00Z')`);
    await pool.query(
      `INSERT INTO request_trail VALUES ('old', '2020-01-01T12:00Z', '[]'), ('older', '2019-01-01T12:00Z', '[]')`,
    );
    await pool.query(
      "INSERT INTO request_other_id VALUES ('x', 'older', '2019-01-01T12:00Z', 'acct')",
    );
    await createTrailPartitions(pool, 30);
    const { rows } = await pool.query(
      "SELECT entry_id FROM request_trail WHERE entry_id IN ('old', 'older')",
    );
    expect(rows).toEqual([]);
    const { rows: partitions } = await pool.query(
      "SELECT inhrelid FROM pg_inherits WHERE inhparent = 'request_trail'::regclass",
    );
    expect(partitions).toHaveLength(4);
    const others = await pool.query("SELECT id FROM request_other_id WHERE entry_id = 'older'");
    expect(others.rows).toEqual([]);
    await pool.query("DELETE FROM request_trail");
    const { requests } = await findRequests({ pool, prisma }, { ...all, accountId });
    expect(requests).toMatchObject([{ chargedNanoUsd: 1_000n }]);
    expect(requests[0]).not.toHaveProperty("attempts");
  });

  test("make an overview: money, times, errors, providers and wallets that run dry", async () => {
    const accountId = await openWallet(pool, 20_000n);
    const failed = { ...trail, errorCode: "upstream_rejected" };
    await capture(
      accountId,
      { costNanoUsd: 7_000n },
      { outcome: Outcome.FAILED, trail: failed },
      { trail: create(RequestTrailSchema, { ...trail, durationMs: 300 }) },
    );
    const hour = 3_600_000;
    const from = new Date(Math.floor(Date.now() / hour) * hour - hour);
    const to = new Date(from.getTime() + 3 * hour);
    const expected = {
      creditedNanoUsd: 20_000n,
      chargedNanoUsd: 7_000n,
      requests: 3n,
      failedRequests: 1n,
      balanceNanoUsd: 13_000n,
      durationP50Ms: 100,
      durationP99Ms: 300,
      firstTokenP50Ms: 60,
      errors: [{ errorCode: "upstream_rejected", requests: 1n }],
      providers: [
        { provider: "two", served: 3n, failed: 0n, durationP50Ms: 59 },
        { provider: "one", served: 0n, failed: 3n },
      ],
      forecasts: [{ accountId, balanceNanoUsd: 13_000n, chargedPerDayNanoUsd: 1_000n, days: 13 }],
    };
    expect(await sumOverview(pool, { accountId, from, to })).toMatchObject(expected);
    const everybody = await sumOverview(pool, { accountId: "", from, to });
    expect(everybody.requests).toBeGreaterThanOrEqual(3n);
    expect(everybody.forecasts.length).toBeGreaterThan(0);
  });

  test("whose usage no provider reported are counted by their models, in the overview of all accounts", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const alias = randomUUID();
    const bases = ["wall_clock", "provider", "wall_clock", "file_parts", "finals_and_pcm"];
    await capture(accountId, ...bases.map((basis) => ({ alias, basis })));
    const hourMs = 3_600_000;
    const from = new Date(Math.floor(Date.now() / hourMs) * hourMs - hourMs);
    const to = new Date(from.getTime() + 3 * hourMs);
    const { fallbacks } = await sumOverview(pool, { accountId: "", from, to });
    expect(fallbacks.filter((one) => one.alias === alias)).toEqual([
      { alias, basis: "wall_clock", requests: 2n },
      { alias, basis: "file_parts", requests: 1n },
    ]);
    expect((await sumOverview(pool, { accountId, from, to })).fallbacks).toEqual([]);
  });

  test("are summed by provider, route, account, hour and month, and filtered", async () => {
    const accountId = await openWallet(pool, 10_000n);
    await capture(
      accountId,
      { provider: "p1", costNanoUsd: 2_000n, keyId: "k1" },
      { provider: "p2", costNanoUsd: 1_000n, routeType: "images" },
    );
    const day = 24 * 3_600_000;
    const from = new Date(Math.floor(Date.now() / day) * day);
    const period = { accountId, from, to: new Date(from.getTime() + day) };
    const names = async (by: UsageBy, filter = {}) => {
      const full = create(UsageFilterSchema, filter);
      const { sums } = await sumUsage(pool, { ...period, by, filter: full });
      return sums.map(({ name, chargedNanoUsd }) => [name, chargedNanoUsd]);
    };
    expect(await names(UsageBy.PROVIDER)).toEqual([
      ["p1", 2_000n],
      ["p2", 1_000n],
    ]);
    expect(await names(UsageBy.ROUTE)).toEqual([
      ["chat", 2_000n],
      ["images", 1_000n],
    ]);
    expect(await names(UsageBy.ACCOUNT)).toEqual([[accountId, 3_000n]]);
    expect(await names(UsageBy.MONTH)).toEqual([[from.toISOString().slice(0, 7), 3_000n]]);
    const [[hour] = []] = await names(UsageBy.HOUR);
    expect(hour).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00Z$/);
    expect(await names(UsageBy.ACCOUNT, { provider: "p1" })).toEqual([[accountId, 2_000n]]);
    expect(await names(UsageBy.ACCOUNT, { keyId: "k1", routeType: "images" })).toEqual([]);
  });

  test("in progress have their holds listed, newest first", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const take = createHoldTaker(pool, 60_000);
    for (const name of ["a", "b", "c"]) {
      await take({ holdId: `${accountId}-${name}`, accountId, estimateNanoUsd: 1_000n });
    }
    const first = await listOpenHolds(prisma, { accountId, limit: 2, beforeHoldId: "" });
    expect(first).toMatchObject({ hasMore: true, holds: [{ amountNanoUsd: 1_000n }, {}] });
    const beforeHoldId = first.holds[1]?.id ?? "";
    const second = await listOpenHolds(prisma, { accountId, limit: 2, beforeHoldId });
    const ids = [...first.holds, ...second.holds].map(({ id }) => id);
    expect(ids).toEqual(["c", "b", "a"].map((name) => `${accountId}-${name}`));
    expect(second.hasMore).toBe(false);
  });
});
