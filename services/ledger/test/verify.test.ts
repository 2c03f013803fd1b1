import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { unlinkConversations } from "../src/conversations.ts";
import { releaseHold } from "../src/release.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { adjust, topUp } from "../src/wallet.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";
import { budget, limit } from "./limits-database.ts";

const conversationId = "key_1/talk";

/** Every table that a statement of these tests changes. */
const tables = [
  "wallet",
  "hold",
  "spend_hour",
  "usage_hour",
  "usage_day",
  "recorded_event",
  "entry",
  "charge",
  "credit",
  "adjustment",
  "usage_limit",
  "conversation_spend",
  "deleted_conversation",
];

describe("a verification of the ledger", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    const accountId = await openWallet(pool, 10n ** 9n);
    const capture = createCapture(pool);
    await createHoldTaker(pool, 60_000)({ holdId: "open", accountId, estimateNanoUsd: 5_000n });
    await capture(usageEvent({ accountId, costNanoUsd: 3_000n, chargeId: "charge-1" }));
    await capture(usageEvent({ accountId, costNanoUsd: 3_000n, chargeId: "charge-1" }));
    await capture(usageEvent({ accountId, costNanoUsd: 2_000n, conversationId }));
    const correction = { accountId, amountNanoUsd: -7_000n, reference: "case-1", reason: "A test" };
    await adjust(pool, { ...correction, at: new Date() });
    await limit(pool, accountId, { ...budget(10n ** 6n, BudgetPeriod.MONTH), parallel: 5 });
  });

  afterAll(() => pool.end());

  test("finds no discrepancies in an unchanged ledger", async () => {
    const counts = { wallets: 1n, entries: 5n, openHolds: 1n, jobHolds: 0n };
    expect(await verifyLedger(pool)).toEqual({ ...counts, detachedMonths: [], discrepancies: [] });
  });

  /** Runs a statement without the triggers, which would refuse it. */
  async function tamper(statement: string): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query("SET session_replication_role = replica");
      await client.query(statement);
    } finally {
      client.release(true);
    }
  }

  const columns = "event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd";
  const others = `uncollected_nano_usd, request_id, route_type, alias, provider, upstream_model,
    unit_type, quantity, basis, prompt_tokens, completion_tokens, cached_prompt_tokens, reference,
    occurred_at`;

  test.each([
    [
      "a wrong balance",
      "UPDATE wallet SET balance_nano_usd = balance_nano_usd + 1",
      /sum of entries/,
    ],
    ["a wrong held amount", "UPDATE wallet SET held_nano_usd = held_nano_usd + 1", /sum of holds/],
    [
      "a wrong held amount of limits",
      "UPDATE usage_limit SET held_nano_usd = held_nano_usd + 1",
      /limits of acct_.*: held 0.000005\d*, sum of holds 0.000005/,
    ],
    [
      "a wrong number of requests in progress",
      "UPDATE usage_limit SET in_progress = 3",
      /limits of acct_.*: .*in progress 3, in holds 1/,
    ],
    [
      "a wrong spend of a budget",
      "UPDATE usage_limit SET spent_nano_usd = 0",
      /limits of acct_.*: .*spent 0.*, charged in the period 0.000005/,
    ],
    [
      "limits that their wallet does not have",
      "UPDATE wallet SET has_limits = false",
      /limits of acct_.*: the wallet of acct_.* has none/,
    ],
    [
      "a wallet that has limits, of which none is stored",
      "DELETE FROM usage_limit",
      /acct_.*: the wallet has limits, and none is stored/,
    ],
    [
      "an adjustment that differs from its entry",
      "UPDATE adjustment SET amount_nano_usd = amount_nano_usd - 1",
      /adjustment case-1: differs from its entry[\s\S]*: adjustment case-1 differs from it/,
    ],
    [
      "an entry of an adjustment whose reference is missing",
      "DELETE FROM adjustment",
      /adjustment case-1 differs from it/,
    ],
    [
      "a wallet of another account",
      "UPDATE wallet SET account_id = 'other'",
      /other: balance .*, sum of entries 0[\s\S]*acct_.* has no wallet/,
    ],
    [
      "a hold without a wallet",
      "INSERT INTO hold VALUES ('stray', 'nobody', 5000, now(), now() + interval '1 minute')",
      /nobody: balance 0.*sum of holds 0.000005/,
    ],
    [
      "a hold that expired long ago",
      "UPDATE hold SET expires_at = now() - interval '11 minutes'",
      /hold open of acct_.*: expired at .*, and not released/,
    ],
    [
      "a wrong spend of an hour",
      "UPDATE spend_hour SET charged_nano_usd = charged_nano_usd + 1",
      /hour .*: charged 5000 in usage_hour, 5001 in spend_hour/,
    ],
    [
      "a spend in another hour",
      "UPDATE spend_hour SET hour = hour - interval '1 hour'",
      /hour .*: charged 0 in usage_hour, 5000 in spend_hour/,
    ],
    [
      "a wrong sum of an hour",
      "UPDATE usage_hour SET prompt_tokens = prompt_tokens + 1",
      /hour .*: prompt_tokens 0 in entries, 1 in usage_hour/,
    ],
    [
      "a sum of an hour that is missing",
      "DELETE FROM usage_hour",
      /hour .*: requests 3 in entries, 0 in usage_hour/,
    ],
    [
      "a sum of a key that used nothing",
      "INSERT INTO usage_hour SELECT 'zz', hour, 'key_9', '', '', '', '', '', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM usage_hour",
      /zz: hour .*, key key_9, .*requests 0 in entries, 1 in usage_hour/,
    ],
    [
      "a wrong sum of a day",
      "UPDATE usage_day SET requests = requests - 1",
      /day .*: requests 3 in usage_hour, 2 in usage_day/,
    ],
    [
      "a sum of another day",
      "UPDATE usage_day SET day = day + interval '1 day'",
      /day .*: requests 3 in usage_hour, 0 in usage_day/,
    ],
    [
      "an entry whose numbers were changed",
      "UPDATE entry SET quantity = 7 WHERE charge_id IS NOT NULL",
      /quantity 7 in entries, 0 in usage_hour/,
    ],
    [
      "an entry whose lines do not add up to its cost",
      `UPDATE entry SET lines = '[["input","1","1","1","4000"],["output","1","1","1","999"]]'
       WHERE charge_id IS NOT NULL`,
      /the amounts of its lines differ from its cost/,
    ],
    [
      "an entry that was deleted",
      "DELETE FROM entry WHERE charge_id IS NOT NULL",
      /charge charge-1: differs from its entry/,
    ],
    [
      "a reference to a charge that does not exist",
      "UPDATE entry SET reference = 'nothing' WHERE reference = 'charge-1'",
      /it repeats charge nothing, which does not exist/,
    ],
    [
      "an entry whose event is not recorded",
      "DELETE FROM recorded_event WHERE event_id = (SELECT min(event_id) FROM recorded_event)",
      /entry .*: its event .* is not recorded/,
    ],
    [
      "an event without an entry",
      "INSERT INTO recorded_event VALUES ('stray', 'entry_stray', now())",
      /event stray: differs from its entry entry_stray/,
    ],
    [
      "an event with two entries",
      `INSERT INTO entry (id, ${columns}, ${others}) SELECT id || 'x', ${columns}, ${others}
       FROM entry WHERE amount_nano_usd = 0`,
      /entry entry_.*x: its event .* is recorded with entry entry_/,
    ],
    [
      "a charge that differs from its entry",
      "UPDATE charge SET charged_nano_usd = charged_nano_usd + 1",
      /charge charge-1: differs from its entry[\s\S]*: charge charge-1 differs from it/,
    ],
    [
      "a charge that does not exist",
      "DELETE FROM charge",
      /it repeats charge charge-1, which does not exist/,
    ],
    [
      "a credit that differs from its top-up",
      "UPDATE credit SET credited_nano_usd = credited_nano_usd + 1",
      /credit opening: differs from its entry/,
    ],
    ["a top-up whose credit is missing", "DELETE FROM credit", /credit opening differs from it/],
    [
      "a wrong spend of a conversation",
      "UPDATE conversation_spend SET charged_nano_usd = 1",
      /conversation key_1\/talk: 1 entries charge 2000, recorded are 1 and 1/,
    ],
    [
      "a link to a conversation whose spend is missing",
      "DELETE FROM conversation_spend",
      /the spend of conversation key_1\/talk is not recorded/,
    ],
    [
      "a link to a conversation that was deleted long ago",
      `INSERT INTO deleted_conversation VALUES ('${conversationId}', now() - interval '2 hours')`,
      /it is linked to conversation key_1\/talk, which is deleted/,
    ],
  ])("reports %s", async (_name, statement, words) => {
    await tamper(tables.map((one) => `CREATE TABLE ${one}_copy AS TABLE ${one}`).join(";"));
    try {
      await tamper(statement);
      const { discrepancies } = await verifyLedger(pool);
      expect(discrepancies.join("\n")).toMatch(words);
    } finally {
      const restore = tables.map(
        (table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM ${table}_copy;
          DROP TABLE ${table}_copy`,
      );
      await tamper(restore.join(";"));
    }
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
  });

  test("names detached months, and compares their entries with nothing", async () => {
    const { rows } = await pool.query<{ month: string }>(
      "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM') AS month",
    );
    const month = rows[0]?.month ?? "";
    await pool.query(`ALTER TABLE entry DETACH PARTITION entry_${month}`);
    const accountId = await openWallet(pool, 1_000_000n);
    const capture = createCapture(pool);
    await capture(usageEvent({ accountId, costNanoUsd: 1_000n, conversationId }));
    expect(await verifyLedger(pool)).toMatchObject({
      wallets: 2n,
      entries: 2n,
      detachedMonths: [month.replace("_", "-")],
      discrepancies: [],
    });
    await tamper("UPDATE wallet SET balance_nano_usd = balance_nano_usd + 1");
    expect((await verifyLedger(pool)).discrepancies).toHaveLength(2);
  });
});

describe("a verification of a ledger in use", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  test("reports nothing, whatever is captured, released, topped up, limited and unlinked meanwhile", async () => {
    const locks = createWalletLocks(pool);
    const take = createHoldTaker(pool, 60_000);
    const capture = createCapture(pool);
    const accounts = await Promise.all([1, 2, 3].map(() => openWallet(pool, 10n ** 12n)));
    const limits = { ...budget(10n ** 12n, BudgetPeriod.DAY), requestsPerMinute: 10 ** 6 };
    const [limited = ""] = accounts;
    await limit(pool, limited, limits, "key_1");
    const verified = new AbortController();
    let captured = 0;

    async function use(accountId: string, client: number): Promise<void> {
      for (let n = 0; !verified.signal.aborted; n += 1) {
        const id = `${accountId}/${client}-${n}`;
        const keyId = `key_${client}`;
        await take({ holdId: id, accountId, keyId, estimateNanoUsd: 2_000n, tokens: 9n });
        if (n % 5 === 0) await releaseHold(pool, locks, id);
        const chargeId = n % 3 === 0 ? `charge-${accountId}-${client}-${n - (n % 6)}` : "";
        const links = { conversationId: `talk-${accountId}-${client}-${n - (n % 20)}`, chargeId };
        const models = { keyId, alias: `model-${n % 3}`, quantity: 5n };
        const event = { accountId, holdId: id, costNanoUsd: 1_000n, ...links, ...models };
        await capture(usageEvent(event));
        captured += 1;
        if (n % 20 === 19) {
          const conversationIds = [links.conversationId];
          await unlinkConversations(pool, locks, { accountId, conversationIds }, neverAborted);
          // A wallet may be locked for longer than a statement waits.
          await locks.run(limited, () => limit(pool, limited, n % 40 === 19 ? limits : {}));
          const credit = { accountId, amountNanoUsd: 1_000n, reference: id, at: new Date() };
          await locks.run(accountId, () => topUp(pool, credit));
        }
      }
    }

    const clients = accounts.flatMap((accountId) => [1, 2, 3].map((n) => use(accountId, n)));
    await expect.poll(() => captured, { timeout: 30_000 }).toBeGreaterThan(200);
    try {
      for (let round = 0; round < 10; round += 1) {
        expect((await verifyLedger(pool)).discrepancies).toEqual([]);
      }
    } finally {
      verified.abort();
      await Promise.all(clients);
    }
    expect((await verifyLedger(pool)).entries).toBeGreaterThan(BigInt(captured));
  }, 60_000);

  test("waits for no transaction that writes", async () => {
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("SELECT FROM wallet FOR UPDATE");
      await holder.query("LOCK TABLE entry, usage_hour IN EXCLUSIVE MODE");
      expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    } finally {
      await holder.query("ROLLBACK");
      holder.release();
    }
  });

  test("ends when its caller disconnects", async () => {
    const gone = AbortSignal.abort(new Error("disconnected"));
    await expect(verifyLedger(pool, gone)).rejects.toThrow("disconnected");
  });
});

const neverAborted = new AbortController().signal;
