import { create } from "@bufbuild/protobuf";
import { PrismaPg } from "@prisma/adapter-pg";
import { UsageBy, UsageFilterSchema } from "@tollgate/proto/tollgate/v1/ledger";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { PrismaClient } from "../src/generated/client.ts";
import { findRequests } from "../src/requests.ts";
import { sumUsage, type UsagePeriod } from "../src/usage-sums.ts";
import { readUsageTimes } from "../src/usage-times.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";

const hourMs = 3_600_000;

describe("the usage of end users", () => {
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
    // In every hour of three days a request of each end user, and one without.
    await pool.query(
      `INSERT INTO entry (id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd,
         uncollected_nano_usd, request_id, route_type, alias, provider, upstream_model, unit_type,
         quantity, basis, prompt_tokens, completion_tokens, cached_prompt_tokens, reference,
         end_user, occurred_at, recorded_at)
       SELECT 'entry_' || lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || name,
         name || at, 'acct_old', 'key_1', 'usage', 0, price, price, '', 'chat', alias, '', '',
         'tokens', 10, '', 4, 6, 1, '', name, at, at + interval '59 minutes'
       FROM generate_series('2026-03-01T00:00Z'::timestamptz, '2026-03-03T23:00Z', '1 hour') AS at,
         (VALUES ('ada', 'large', 5), ('bob', 'small', 1), ('', 'small', 100))
           AS request (name, alias, price)`,
    );
  });

  afterAll(async () => {
    await prisma.$disconnect();
    await pool.end();
  });

  async function sumsOf(from: string, to: string, more: Partial<UsagePeriod> = {}) {
    const times = { from: new Date(`${from}Z`), to: new Date(`${to}Z`) };
    const period = { accountId: "", by: UsageBy.END_USER, ...times, ...more };
    const { sums } = await sumUsage(pool, period);
    return sums.map(({ name, thenName, requests, costNanoUsd }) => [
      ...[name, ...(thenName === "" ? [] : [thenName])],
      ...[requests, costNanoUsd],
    ]);
  }

  test.each([
    ["2026-03-01T00:00", "2026-03-04T00:00", 72n],
    ["2026-03-01T22:00", "2026-03-03T01:00", 27n],
    ["2026-03-02T05:00", "2026-03-02T06:00", 1n],
  ])("from %s to %s is %d requests of each", async (from, to, requests) => {
    const expected = [
      ["ada", requests, 5n * requests],
      ["bob", requests, requests],
    ];
    expect(await sumsOf(from, to)).toEqual(expected);
    expect(await sumsOf(from, to, { accountId: "acct_old" })).toEqual(expected);
    expect(await sumsOf(from, to, { accountId: "acct_other" })).toEqual([]);
  });

  test("is divided by a model, filtered, and summed by time", async () => {
    const [from, to] = ["2026-03-01T00:00", "2026-03-03T00:00"] as const;
    expect(await sumsOf(from, to, { thenBy: UsageBy.MODEL })).toEqual([
      ["ada", "large", 48n, 240n],
      ["bob", "small", 48n, 48n],
    ]);
    const filter = create(UsageFilterSchema, { endUser: "bob" });
    expect(await sumsOf(from, to, { by: UsageBy.DAY, filter })).toEqual([
      ["2026-03-01", 24n, 24n],
      ["2026-03-02", 24n, 24n],
    ]);
    const hours = await sumsOf(from, to, { by: UsageBy.HOUR, filter });
    expect(hours).toHaveLength(48);
    expect(hours[1]).toEqual(["2026-03-01T01:00Z", 1n, 1n]);
    const days = sumsOf(from, "2026-03-03T01:00", { by: UsageBy.HOUR, filter });
    await expect(days).rejects.toMatchObject({ code: "invalid_param", param: "from" });
  });

  test("has the account and the times of each, and leads to its requests", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const capture = createCapture(pool);
    const ids: string[] = [];
    for (const endUser of ["eve", "eve", "mallory", ""]) {
      const event = usageEvent({ accountId, endUser, alias: "large", costNanoUsd: 1_000n });
      await capture(event);
      ids.push(event.id);
    }
    const now = Date.now();
    const period = {
      ...{ accountId: "", by: UsageBy.END_USER },
      from: new Date(Math.floor(now / hourMs) * hourMs - hourMs),
      to: new Date(Math.floor(now / hourMs) * hourMs + hourMs),
    };
    const { sums } = await sumUsage(pool, period);
    expect(sums).toMatchObject([
      { name: "eve", accountId, requests: 2n, chargedNanoUsd: 2_000n },
      { name: "mallory", accountId, requests: 1n, chargedNanoUsd: 1_000n },
    ]);
    expect(
      (await readUsageTimes(pool, period))(sums[0] ?? { name: "", thenName: "", accountId }),
    ).toEqual({});
    const filter = create(UsageFilterSchema, { endUser: "eve" });
    const page = { onlyFailed: false, errorCode: "", limit: 1, beforeCursor: "", filter };
    for (const owner of ["", accountId]) {
      const first = await findRequests({ pool, prisma }, { ...page, accountId: owner });
      expect(first.requests).toMatchObject([{ id: ids[1], endUser: "eve" }]);
      const second = await findRequests(
        { pool, prisma },
        { ...page, accountId: owner, beforeCursor: first.nextCursor },
      );
      expect(second).toMatchObject({ requests: [{ id: ids[0] }], nextCursor: "" });
    }
  });

  test("is verified, and changed by captures alone", async () => {
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    const change = "UPDATE end_user_day SET requests = requests + 1 WHERE end_user = 'ada'";
    await expect(pool.query(change)).rejects.toThrow("only through entries and holds");
    await pool.query("ALTER TABLE end_user_day DISABLE TRIGGER USER");
    await pool.query(change);
    const { discrepancies } = await verifyLedger(pool);
    expect(discrepancies).toHaveLength(3);
    expect(discrepancies[0]).toMatch(/requests 24 in entries, 25 in end_user_day/);
  });
});
