import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openWallet, usageEvent } from "./ledger-database.ts";
import { type LedgerWithDatabase, startLedger } from "./running-ledger.ts";

describe("the entries of a conversation", () => {
  let ledger: LedgerWithDatabase;

  beforeAll(async () => {
    ledger = await startLedger(inject("postgresUrl"));
  });

  afterAll(() => ledger.stop());

  /** Adds entries that cost 1, 2, 3… nano-USD, in the order of their ids. */
  async function addEntries(accountId: string, conversationId: string, count: number) {
    await ledger.pool.query(
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
    const accountId = await openWallet(ledger.pool, 10n ** 12n);
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
    const [own, other] = [
      await openWallet(ledger.pool, 10n ** 12n),
      await openWallet(ledger.pool, 10n ** 12n),
    ];
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

  test("sum to the total, also while entries are added", async () => {
    const accountId = await openWallet(ledger.pool, 10n ** 12n);
    const query = { accountId, conversationId: "key_1/growing" };
    let isGrowing = true;
    async function grow() {
      const event = { ...query, costNanoUsd: 5n };
      for (let added = 0; added < 30; added += 1) {
        await ledger.client.recordUsage({ events: [usageEvent(event)] });
      }
      isGrowing = false;
    }
    async function readAgain() {
      while (isGrowing) {
        const { entries, totalNanoUsd } = await ledger.client.listConversationEntries(query);
        expect(entries.reduce((sum, entry) => sum + entry.amountNanoUsd, 0n)).toBe(totalNanoUsd);
      }
    }
    await Promise.all([grow(), readAgain(), readAgain()]);
    expect((await ledger.client.listConversationEntries(query)).entries).toHaveLength(30);
  });
});
