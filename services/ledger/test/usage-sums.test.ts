import { create } from "@bufbuild/protobuf";
import { KeyLabelSchema, UsageBy, UsageFilterSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { Outcome } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { sumUsage } from "../src/usage-sums.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";

const counters = [
  "requests",
  "failed_requests",
  "quantity",
  "prompt_tokens",
  "cached_prompt_tokens",
  "completion_tokens",
  "cost_nano_usd",
  "charged_nano_usd",
  "uncollected_nano_usd",
  "provider_cost_nano_usd",
  "costed_charge_nano_usd",
];

describe("the sums of usage", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  /** Resolves with an account's sums over all periods: an hour may end during a test. */
  async function readSums(table: string, accountId: string) {
    const sums = counters.map((name) => `sum(${name}) AS ${name}`);
    const { rows } = await pool.query(
      `SELECT key_id, alias, route_type, unit_type, ${sums.join(", ")}
       FROM ${table} WHERE account_id = $1 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
      [accountId],
    );
    return rows;
  }

  test("move with each capture, by key, model, route and unit, in the hour and the day", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const capture = createCapture(pool);
    const chat = { accountId, keyId: "key_1", alias: "large", unitType: "tokens" };
    const tokens = { promptTokens: 70n, cachedPromptTokens: 20n, completionTokens: 30n };
    const event = usageEvent({ ...chat, ...tokens, quantity: 100n, costNanoUsd: 6_000n });
    await Promise.all([
      capture(event),
      capture(event),
      capture(
        usageEvent({
          ...{ ...chat, ...tokens, quantity: 100n, costNanoUsd: 3_000n },
          providerCostNanoUsd: 2_001n,
        }),
      ),
      capture(usageEvent({ ...chat, outcome: Outcome.FAILED, costNanoUsd: 5_000n })),
    ]);
    const image = { accountId, keyId: "key_2", alias: "paint", routeType: "images" };
    await capture(usageEvent({ ...image, unitType: "images", quantity: 2n, costNanoUsd: 4_000n }));
    const expected = [
      {
        key_id: "key_1",
        alias: "large",
        route_type: "chat",
        unit_type: "tokens",
        requests: "3",
        failed_requests: "1",
        quantity: "200",
        prompt_tokens: "140",
        cached_prompt_tokens: "40",
        completion_tokens: "60",
        cost_nano_usd: "9000",
        charged_nano_usd: "9000",
        uncollected_nano_usd: "0",
        provider_cost_nano_usd: "2001",
        costed_charge_nano_usd: "3000",
      },
      {
        key_id: "key_2",
        alias: "paint",
        route_type: "images",
        unit_type: "images",
        requests: "1",
        failed_requests: "0",
        quantity: "2",
        prompt_tokens: "0",
        cached_prompt_tokens: "0",
        completion_tokens: "0",
        cost_nano_usd: "4000",
        charged_nano_usd: "1000",
        uncollected_nano_usd: "3000",
        provider_cost_nano_usd: "0",
        costed_charge_nano_usd: "0",
      },
    ];
    expect(await readSums("usage_hour", accountId)).toEqual(expected);
    expect(await readSums("usage_day", accountId)).toEqual(expected);
  });

  test("add each counter to what earlier captures of the same hour and day left", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const capture = createCapture(pool);
    const tokens = { promptTokens: 70n, cachedPromptTokens: 20n, completionTokens: 30n };
    const served = { accountId, ...tokens, quantity: 100n, costNanoUsd: 6_000n };
    for (let n = 0; n < 2; n += 1) {
      await capture(usageEvent(served));
      await capture(usageEvent({ accountId, outcome: Outcome.FAILED }));
    }
    const sums = {
      requests: "4",
      failed_requests: "2",
      quantity: "200",
      prompt_tokens: "140",
      cached_prompt_tokens: "40",
      completion_tokens: "60",
      cost_nano_usd: "12000",
      charged_nano_usd: "10000",
      uncollected_nano_usd: "2000",
    };
    expect(await readSums("usage_hour", accountId)).toMatchObject([sums]);
    expect(await readSums("usage_day", accountId)).toMatchObject([sums]);
  });

  test("take numbers of any size, so that none delays a capture", async () => {
    const capture = createCapture(pool);
    const most = 2n ** 63n - 1n;
    const numbers = { quantity: most, promptTokens: most, costNanoUsd: most };
    for (let n = 0; n < 2; n += 1) {
      await capture(usageEvent({ accountId: "acct_without_wallet", ...numbers }));
    }
    const [sums] = await readSums("usage_day", "acct_without_wallet");
    const twice = String(2n * most);
    expect(sums).toMatchObject({ quantity: twice, prompt_tokens: twice, cost_nano_usd: twice });
  });

  test("are captured at the same time by replicas that meet in accounts without a wallet", async () => {
    const replicas = Array.from({ length: 4 }, () => createCapture(pool));
    const events = Array.from({ length: 400 }, (_, n) => {
      const accountId = `acct_gone_${(n * 7) % 20}`;
      return usageEvent({ accountId, alias: `model-${(n * 3) % 5}`, quantity: 1n });
    });
    await Promise.all(events.map((event, n) => replicas[n % 4]?.(event)));
    const { rows } = await pool.query(
      "SELECT sum(requests)::bigint AS requests FROM usage_hour WHERE account_id LIKE 'acct_gone_%'",
    );
    expect(rows).toEqual([{ requests: 400n }]);
  });

  test.each(["usage_hour", "usage_day"])("%s is changed by captures alone", async (table) => {
    const change = pool.query(`UPDATE ${table} SET requests = 0`);
    await expect(change).rejects.toThrow("only through entries and holds");
  });
});

describe("usage of a period", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    // One request of each model in every hour of three days.
    await pool.query(
      `INSERT INTO entry (id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd,
         uncollected_nano_usd, request_id, route_type, alias, provider, upstream_model, unit_type,
         quantity, basis, prompt_tokens, completion_tokens, cached_prompt_tokens, reference,
         occurred_at, recorded_at)
       SELECT alias || at, alias || at, 'acct_' || alias, 'key_' || alias, 'usage', 0, price, price,
         '', 'chat', alias, '', '', 'tokens', 10, '', 4, 6, 1, '', at, at + interval '59 minutes'
       FROM generate_series('2026-03-01T00:00Z'::timestamptz, '2026-03-03T23:00Z', '1 hour') AS at,
         (VALUES ('cheap', 1), ('dear', 5)) AS model (alias, price)`,
    );
  });

  afterAll(() => pool.end());

  const sumOf = async (from: string, to: string, by = UsageBy.MODEL, accountId = "") => {
    const period = { from: new Date(`${from}Z`), to: new Date(`${to}Z`), by, accountId };
    const { sums, hasMore } = await sumUsage(pool, period);
    expect(hasMore).toBe(false);
    return sums.map(({ name, requests, costNanoUsd }) => [name, requests, costNanoUsd]);
  };

  test.each([
    ["2026-03-01T00:00", "2026-03-04T00:00", 72n],
    ["2026-03-01T22:00", "2026-03-03T01:00", 27n],
    ["2026-03-01T22:00", "2026-03-02T02:00", 4n],
    ["2026-03-02T05:00", "2026-03-02T06:00", 1n],
    ["2026-03-01T05:00", "2026-03-02T00:00", 19n],
    ["2026-02-01T00:00", "2026-03-01T03:00", 3n],
    ["2025-01-01T00:00", "2027-01-01T00:00", 72n],
  ])("from %s to %s is %d requests of each model", async (from, to, requests) => {
    expect(await sumOf(from, to)).toEqual([
      ["cheap", requests, requests],
      ["dear", requests, 5n * requests],
    ]);
    const ofAccount = await sumOf(from, to, UsageBy.KEY, "acct_dear");
    expect(ofAccount).toEqual([["key_dear", requests, 5n * requests]]);
  });

  test("by day is in the days' order, whatever time zone the database has", async () => {
    await pool.query("SET TIME ZONE 'Pacific/Auckland'");
    expect(await sumOf("2026-03-01T12:00", "2026-03-04T00:00", UsageBy.DAY)).toEqual([
      ["2026-03-01", 24n, 72n],
      ["2026-03-02", 48n, 144n],
      ["2026-03-03", 48n, 144n],
    ]);
  });

  const month = { from: new Date("2026-03-01T00:00Z"), to: new Date("2026-04-01T00:00Z") };

  test("by two dimensions, the names of the second that are charged least are summed", async () => {
    const period = { ...month, accountId: "", by: UsageBy.DAY, thenBy: UsageBy.MODEL };
    const rows = async (thenMost: number) =>
      (await sumUsage(pool, { ...period, thenMost })).sums
        .slice(0, 3)
        .map(({ name, thenName, isRest, costNanoUsd }) => [name, thenName, isRest, costNanoUsd]);
    expect(await rows(0)).toEqual([
      ["2026-03-01", "cheap", false, 24n],
      ["2026-03-01", "dear", false, 120n],
      ["2026-03-02", "cheap", false, 24n],
    ]);
    expect(await rows(1)).toEqual([
      ["2026-03-01", "cheap", false, 24n],
      ["2026-03-01", "", true, 120n],
      ["2026-03-02", "cheap", false, 24n],
    ]);
  });

  test("by tag and owner, as the keys are labelled, and of some keys", async () => {
    const label = (keyId: string, by: UsageBy, text: string) =>
      create(KeyLabelSchema, { keyId, by, label: text });
    const keyLabels = [
      label("key_dear", UsageBy.TAG, "a"),
      label("key_dear", UsageBy.TAG, "b"),
      label("key_cheap", UsageBy.OWNER, "ada"),
    ];
    const rows = async (more: Partial<Parameters<typeof sumUsage>[1]>) => {
      const by = { by: UsageBy.TAG, thenBy: UsageBy.OWNER };
      const { sums } = await sumUsage(pool, { ...month, accountId: "", ...by, keyLabels, ...more });
      return sums.map(({ name, thenName, requests }) => [name, thenName, requests]);
    };
    expect(await rows({})).toEqual([
      ["", "ada", 72n],
      ["a", "", 72n],
      ["b", "", 72n],
    ]);
    expect(await rows({ keyIds: ["key_cheap"] })).toEqual([["", "ada", 72n]]);
    expect(await rows({ keyIds: [] })).toEqual([]);
    expect(await rows({ excludedKeyIds: ["key_dear"] })).toEqual([["", "ada", 72n]]);
    const without = (by: UsageBy) => ({ filter: create(UsageFilterSchema, { without: [by] }) });
    expect(await rows(without(UsageBy.PLAN))).toHaveLength(3);
    expect(await rows(without(UsageBy.MODEL))).toEqual([]);
    await expect(rows(without(UsageBy.DAY))).rejects.toMatchObject({ param: "without" });
    await expect(rows({ thenBy: 99 as UsageBy })).rejects.toMatchObject({ param: "then_by" });
  });

  test("has the account of each key, and its tokens", async () => {
    const from = new Date("2026-03-01T00:00Z");
    const to = new Date("2026-03-02T00:00Z");
    const { sums } = await sumUsage(pool, { accountId: "acct_dear", from, to, by: UsageBy.KEY });
    expect(sums).toEqual([
      {
        name: "key_dear",
        thenName: "",
        isRest: false,
        accountId: "acct_dear",
        requests: 24n,
        failedRequests: 0n,
        quantities: [{ unitType: "tokens", quantity: 240n }],
        promptTokens: 96n,
        cachedPromptTokens: 24n,
        completionTokens: 144n,
        costNanoUsd: 120n,
        chargedNanoUsd: 0n,
        uncollectedNanoUsd: 120n,
        providerCostNanoUsd: 0n,
        costedChargeNanoUsd: 0n,
      },
    ]);
  });

  test.each([
    ["2026-03-01T00:30", "2026-03-02T00:00"],
    ["2026-03-02T00:00", "2026-03-02T00:00"],
  ])("from %s to %s is refused", async (from, to) => {
    await expect(sumOf(from, to)).rejects.toMatchObject({ code: "invalid_param" });
  });
});
