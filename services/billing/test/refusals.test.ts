import { randomBytes } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newRequestId } from "@tollgate/core/ids";
import { createLog } from "@tollgate/core/log";
import { RecordRefusalsRequestSchema } from "@tollgate/proto/tollgate/v1/billing";
import { TimeOrder } from "@tollgate/proto/tollgate/v1/list";
import { RequestRefusalSchema } from "@tollgate/proto/tollgate/v1/refusal";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PrismaClient } from "../src/generated/client.ts";
import { recordRefusals } from "../src/refusals/record-refusals.ts";
import { storeRefusals } from "../src/refusals/store-refusals.ts";
import { deleteOldRefusals, findRefusals, listRefusals } from "../src/refusals/stored-refusals.ts";
import { type BillingDatabase, openBillingDatabase } from "./billing-database.ts";

describe("records of refused requests", () => {
  let database: BillingDatabase;
  let pool: pg.Pool;
  let prisma: PrismaClient;
  const log = createLog("silent");

  beforeAll(async () => {
    database = await openBillingDatabase();
    ({ pool, prisma } = database);
  });

  beforeEach(() => pool.query("DELETE FROM refusal"));

  afterAll(() => database.stop());

  function record(fields: MessageInitShape<typeof RequestRefusalSchema> = {}) {
    const refusedAt = timestampFromDate(new Date("2026-03-01T12:00:00Z"));
    const usual = { status: 429, code: "rate_limited", message: "slow down", param: "model" };
    return create(RequestRefusalSchema, {
      requestId: newRequestId(),
      refusedAt,
      ...usual,
      ...fields,
    });
  }

  async function countBy(accountId: string): Promise<number> {
    return prisma.refusal.count({ where: { accountId } });
  }

  /** Text that Postgres cannot compress. */
  const randomText = (length: number) => randomBytes(length).toString("base64").slice(0, length);
  const order = TimeOrder.UNSPECIFIED;
  const page = { limit: 10, beforeRequestId: "", search: "", order };
  const any = { accountId: "", keyId: "", code: "" };

  test("are found by the request's id and by the client's own, within an account", async () => {
    const sent = record({
      ...{ accountId: "acct_1", keyId: "key_1", shownKey: "", method: "POST", alias: "a\u{1f600}" },
      ...{ route: "/v1/rerank", clientAddress: "203.0.113.7", userAgent: "curl/8" },
      clientRequestId: "mine",
    });
    await storeRefusals(pool, [sent, record({ accountId: "acct_2", clientRequestId: "mine" })]);
    for (const id of [sent.requestId, "mine"]) {
      expect(await findRefusals(prisma, { id, accountId: "acct_1" })).toEqual([sent]);
    }
    expect(await findRefusals(prisma, { id: "mine", accountId: "" })).toHaveLength(2);
    expect(await findRefusals(prisma, { id: sent.requestId, accountId: "acct_2" })).toEqual([]);
    expect(await findRefusals(prisma, { id: "", accountId: "" })).toEqual([]);
  });

  test("are listed newest first, in pages, by account, key and code", async () => {
    const codes = ["rate_limited", "invalid_param", "rate_limited"];
    const sent = codes.map((code) => record({ accountId: "acct_1", keyId: "key_1", code }));
    await storeRefusals(pool, [...sent, record({ accountId: "acct_2" })]);
    const ids = async (filter: object, more: object = {}) => {
      const found = await listRefusals(prisma, {
        ...page,
        filter: { ...any, ...filter },
        ...more,
      });
      return { ids: found.refusals.map(({ requestId }) => requestId), next: found.next };
    };
    const [first, second, third] = sent.map(({ requestId }) => requestId);
    expect(await ids({ accountId: "acct_1" }, { limit: 2 })).toEqual({
      ids: [third, second],
      next: second,
    });
    expect(await ids({ accountId: "acct_1" }, { beforeRequestId: second })).toEqual({
      ids: [first],
      next: undefined,
    });
    expect((await ids({ keyId: "key_1", code: "rate_limited" })).ids).toEqual([third, first]);
    expect((await ids({})).ids).toHaveLength(4);
  });

  test("are found by a part of what they have, oldest first, and a search compares some at a time", async () => {
    const [old, recent] = [
      record({ accountId: "acct_1", userAgent: "OpenAI/Python 2" }),
      record({ accountId: "acct_1", message: "of openai/python" }),
    ];
    await storeRefusals(pool, [old, record({ accountId: "acct_1" }), recent]);
    const find = async (more: object) => {
      const found = await listRefusals(prisma, { ...page, filter: any, ...more });
      return { ids: found.refusals.map(({ requestId }) => requestId), next: found.next };
    };
    const order = TimeOrder.OLDEST;
    const search = "openai/PYTHON";
    const [oldId, recentId] = [old.requestId, recent.requestId];
    expect(await find({ search, order })).toEqual({ ids: [oldId, recentId], next: undefined });
    expect(await find({ search, order, limit: 1 })).toEqual({ ids: [oldId], next: oldId });
    const after = { search, order, beforeRequestId: oldId };
    expect(await find(after)).toEqual({ ids: [recentId], next: undefined });
    // 12,000 newer ones, whose ids are greater than those of requests.
    await pool.query(`
      INSERT INTO refusal SELECT 'req_z' || lpad(n::text, 6, '0'), now(), now(), 429, 'x', '', '', '', '', '',
        'acct_1', '', '', '', '', '' FROM generate_series(1, 12000) AS n`);
    const first = await find({ search });
    expect(first).toEqual({ ids: [], next: "req_z002001" });
    expect(await find({ search, beforeRequestId: first.next })).toEqual({
      ids: [recentId, oldId],
      next: undefined,
    });
  });

  test("of a flood are few, of several processes together, and leave room for other accounts", async () => {
    const flood = (accountId: string) =>
      Array.from({ length: 1_000 }, () => record({ accountId, message: "x".repeat(1_024) }));
    await Promise.all([1, 2, 3, 4, 5].map(() => storeRefusals(pool, flood("acct_flood"))));
    await storeRefusals(pool, flood(""));
    await storeRefusals(pool, [record({ accountId: "acct_quiet" })]);
    // The flood may have begun in the minute before.
    for (const accountId of ["acct_flood", ""]) {
      const stored = await countBy(accountId);
      expect(stored).toBeGreaterThanOrEqual(60);
      expect(stored).toBeLessThanOrEqual(120);
    }
    expect(await countBy("acct_quiet")).toBe(1);
    for (let n = 0; n < 10; n += 1) await storeRefusals(pool, flood(`acct_${n}`));
    const stored = await prisma.refusal.count();
    expect(stored).toBeGreaterThanOrEqual(300);
    expect(stored).toBeLessThanOrEqual(600);
  });

  test("of a long flood of requests of the greatest length take a bounded space", async () => {
    await pool.query("TRUNCATE refusal, refusal_hour");
    const longest = Array.from({ length: 1_000 }, (_, n) =>
      record({
        ...{ accountId: `acct_${n % 100}`, keyId: `key_${n}`, code: "rate_limited" },
        ...{ message: randomText(1_024), param: randomText(200), alias: randomText(200) },
        ...{ userAgent: randomText(200), clientRequestId: randomText(200) },
      }),
    );
    const refusals = [{ accountId: "acct_1", code: "rate_limited", requests: 1_000n }];
    const floods = [1, 2];
    for (const _ of floods) {
      for (const _ of [1, 2, 3]) {
        const records = longest.map((one) => ({ ...one, requestId: newRequestId() }));
        await recordRefusals(pool, create(RecordRefusalsRequestSchema, { refusals, records }));
      }
      await pool.query("UPDATE refusal SET recorded_at = recorded_at - '10 minutes'::interval");
    }
    const stored = await prisma.refusal.count();
    expect(stored).toBeGreaterThanOrEqual(floods.length * 300);
    // Each may have begun in the minute before.
    expect(stored).toBeLessThanOrEqual(floods.length * 600);
    const { rows } = await pool.query<{ bytes: string; hours: string }>(
      `SELECT pg_total_relation_size('refusal') AS bytes, (SELECT count(*) FROM refusal_hour) AS hours`,
    );
    expect(Number(rows[0]?.bytes) / stored).toBeLessThan(16 * 1_024);
    expect(Number(rows[0]?.hours)).toBeLessThanOrEqual(2);
  });

  test("are deleted after some days, and recorded once", async () => {
    const [old, recent] = [record({ accountId: "acct_1" }), record({ accountId: "acct_1" })];
    await storeRefusals(pool, [old, recent]);
    await storeRefusals(pool, [recent]);
    await pool.query(
      "UPDATE refusal SET recorded_at = now() - '8 days'::interval WHERE request_id = $1",
      [old.requestId],
    );
    await deleteOldRefusals({ prisma, log, now: () => new Date() }, 7);
    const { refusals } = await listRefusals(prisma, { ...page, filter: any });
    expect(refusals).toEqual([recent]);
  });

  test("more than fit one call are refused", async () => {
    const many = Array.from({ length: 1_001 }, () => record());
    await expect(storeRefusals(pool, many)).rejects.toMatchObject({ param: "records" });
  });
});
