import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createLedgerDatabase, openLedger, openWallet } from "./ledger-database.ts";
import { type RunningLedger, runLedger } from "./running-ledger.ts";

describe("the entries of a conversation", () => {
  let pool: pg.Pool;
  let ledger: RunningLedger;

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    pool = await openLedger(url);
    ledger = await runLedger(url);
  });

  afterAll(async () => {
    await ledger.stop();
    await pool.end();
  });

  /** Adds entries that cost 1, 2, 3… nano-USD, in the order of their ids. */
  async function addEntries(accountId: string, conversationId: string, count: number) {
    await pool.query(
      `INSERT INTO entry (id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd,
         uncollected_nano_usd, request_id, route_type, alias, provider, upstream_model, unit_type,
         quantity, basis, prompt_tokens, completion_tokens, cached_prompt_tokens, conversation_id,
         provider_usage, reference, occurred_at)
       SELECT $2 || to_char(n, 'FM00000'), $2 || n, $1, 'key_1', 'usage', -n, n, 0, 'req_' || n,
         'chat', 'm', 'p', 'u', 'tokens', 1, 'provider', 0, 0, 0, $2,
         repeat('x', 4096), '', now()
       FROM generate_series(1, $3::int) AS n`,
      [accountId, conversationId, count],
    );
  }

  test("are the newest 10,000, with the sum of all of them", async () => {
    const accountId = await openWallet(pool, 10n ** 12n);
    await addEntries(accountId, "key_1/long", 10_005);
    const query = { accountId, conversationId: "key_1/long" };
    const { entries, totalNanoUsd, hasMore } = await ledger.client.listConversationEntries(query);
    expect(entries).toHaveLength(10_000);
    // With them, the response would exceed the limit of a message.
    expect(entries.every(({ providerUsage }) => providerUsage === "")).toBe(true);
    expect([entries[0]?.requestId, entries.at(-1)?.requestId]).toEqual(["req_6", "req_10005"]);
    expect(totalNanoUsd).toBe((-10_005n * 10_006n) / 2n);
    expect(hasMore).toBe(true);
  });

  test("are all of them where there are no more than 10,000, and none of another account's", async () => {
    const [own, other] = [await openWallet(pool, 10n ** 12n), await openWallet(pool, 10n ** 12n)];
    await addEntries(own, "key_1/short", 2);
    const query = { accountId: own, conversationId: "key_1/short" };
    expect(await ledger.client.listConversationEntries(query)).toMatchObject({
      entries: [{ requestId: "req_1" }, { requestId: "req_2" }],
      totalNanoUsd: -3n,
      hasMore: false,
    });
    expect(
      await ledger.client.listConversationEntries({ ...query, accountId: other }),
    ).toMatchObject({ entries: [], totalNanoUsd: 0n, hasMore: false });
  });
});
