import { Outcome } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
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
      capture(usageEvent({ ...chat, ...tokens, quantity: 100n, costNanoUsd: 3_000n })),
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
      },
    ];
    expect(await readSums("usage_hour", accountId)).toEqual(expected);
    expect(await readSums("usage_day", accountId)).toEqual(expected);
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
