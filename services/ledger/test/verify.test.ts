import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { PrismaClient } from "../src/generated/client.ts";
import { createHoldTaker } from "../src/holds.ts";
import { verifyLedger } from "../src/verify.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";

describe("a verification of the ledger", () => {
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
    const accountId = await openWallet(pool, 10n ** 9n);
    const capture = createCapture(pool);
    await createHoldTaker(pool, 60_000)({ holdId: "open", accountId, estimateNanoUsd: 5_000n });
    await capture(usageEvent({ accountId, costNanoUsd: 3_000n, chargeId: "charge-1" }));
    await capture(usageEvent({ accountId, costNanoUsd: 3_000n, chargeId: "charge-1" }));
    await capture(usageEvent({ accountId, costNanoUsd: 2_000n }));
  });

  afterAll(() => pool.end());

  test("finds no discrepancies in an unchanged ledger", async () => {
    const counts = { wallets: 1n, entries: 4n, openHolds: 1n };
    expect(await verifyLedger(prisma)).toEqual({ ...counts, discrepancies: [] });
  });

  /** Runs a statement without the triggers, which would refuse it. */
  async function tamper(statement: string): Promise<void> {
    const client = await pool.connect();
    await client.query("SET session_replication_role = replica");
    await client.query(statement);
    client.release(true);
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
      "a wallet of another account",
      "UPDATE wallet SET account_id = 'other'",
      /other: balance .*, sum of entries 0/,
    ],
    [
      "a wrong spend of an hour",
      "UPDATE spend_hour SET charged_nano_usd = charged_nano_usd + 1",
      /hour .*: entries charge .*, recorded spend/,
    ],
    [
      "a spend in another hour",
      "UPDATE spend_hour SET hour = hour - interval '1 hour'",
      /hour .*: entries charge 0.*, recorded spend/,
    ],
    [
      "a reference to a charge that does not exist",
      "UPDATE entry SET reference = 'nothing' WHERE reference = 'charge-1'",
      /charge nothing: repeated by an entry, but never charged/,
    ],
    [
      "an entry whose event is not recorded",
      "DELETE FROM recorded_event WHERE event_id = (SELECT min(event_id) FROM recorded_event)",
      /not recorded with one entry/,
    ],
    [
      "an event without an entry",
      "INSERT INTO recorded_event VALUES ('stray', 'entry_stray', now())",
      /event stray: not recorded with one entry/,
    ],
    [
      "an event with two entries",
      `INSERT INTO entry (id, ${columns}, ${others}) SELECT id || 'x', ${columns}, ${others}
       FROM entry WHERE amount_nano_usd = 0`,
      /1 more entries than recorded events/,
    ],
    [
      "a charge that differs from its entry",
      "UPDATE charge SET charged_nano_usd = charged_nano_usd + 1",
      /charge charge-1: differs from its entry/,
    ],
  ])("reports %s", async (_name, statement, words) => {
    await tamper("CREATE TABLE wallet_copy AS TABLE wallet");
    for (const table of ["spend_hour", "recorded_event", "entry", "charge"]) {
      await tamper(`CREATE TABLE ${table}_copy AS TABLE ${table}`);
    }
    await tamper(statement);
    const { discrepancies } = await verifyLedger(prisma);
    expect(discrepancies.join("\n")).toMatch(words);
    for (const table of ["wallet", "spend_hour", "recorded_event", "entry", "charge"]) {
      await tamper(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM ${table}_copy;
        DROP TABLE ${table}_copy`);
    }
    expect((await verifyLedger(prisma)).discrepancies).toEqual([]);
  });
});
