import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { PrismaPg } from "@prisma/adapter-pg";
import { UsageBy, UsageFilterSchema } from "@tollgate/proto/tollgate/v1/ledger";
import {
  AttemptSchema,
  Outcome,
  RequestTrailSchema,
  type UsageEvent,
} from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { PrismaClient } from "../src/generated/client.ts";
import { listOpenHolds } from "../src/open-holds.ts";
import { findRequestEntries, findRequests, toRequests } from "../src/requests.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { createTrailPartitions } from "../src/trail-partitions.ts";
import { sumUsage } from "../src/usage-sums.ts";
import { captureInOrder, firstPage, trail } from "./captured-requests.ts";
import { createLedgerDatabase, openLedger, openWallet } from "./ledger-database.ts";

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

  const capture = (accountId: string, ...events: Partial<UsageEvent>[]) =>
    captureInOrder(pool, accountId, events);

  test("have the slots that were tried, their times, and what was held and charged", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const served = { provider: "two", upstreamModel: "m2", alias: "fast", costNanoUsd: 4_000n };
    const [event] = await capture(accountId, served);
    const page = await findRequests({ pool, prisma }, { ...firstPage, accountId });
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
    const page = await findRequests(
      { pool, prisma },
      { ...firstPage, accountId, onlyFailed: true },
    );
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
        const page = { ...firstPage, accountId: of, limit: 3, beforeCursor: cursor };
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
    const { requests } = await findRequests({ pool, prisma }, { ...firstPage, accountId });
    expect(requests.map(({ occurredAt }) => timestampMs(occurredAt))).toEqual([
      ended - trail.durationMs,
    ]);
  });

  test("are filtered by key, model, provider, route and time", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const fields = { keyId: "k1", alias: "a1", provider: "p1", routeType: "images" };
    const [one] = await capture(accountId, fields, { keyId: "k2", alias: "a2", provider: "p2" });
    const find = (page: object) =>
      findRequests({ pool, prisma }, { ...firstPage, accountId, ...page });
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
    expect(await ids({ excludedKeyIds: ["k2", ""] })).toEqual([one?.id]);
    const later = new Date(Date.now() + 60_000);
    expect((await find({ from: later })).requests).toEqual([]);
    expect((await find({ to: later })).requests).toHaveLength(4);
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
      findRequests({ pool, prisma }, { ...firstPage, accountId, errorCode: code, ...page });
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
    const { requests } = await findRequests({ pool, prisma }, { ...firstPage, accountId });
    expect(requests).toMatchObject([{ chargedNanoUsd: 1_000n }]);
    expect(requests[0]).not.toHaveProperty("attempts");
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
