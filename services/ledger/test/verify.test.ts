import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { PrismaClient } from "../src/generated/client.ts";
import { createHoldTaker } from "../src/hold.ts";
import { verifyLedger } from "../src/verify.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./books.ts";

describe("the books, held against each other", () => {
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
    const accountId = await openWallet(pool, 10n ** 9n);
    const capture = createCapture(pool);
    await createHoldTaker(pool, 60_000)({ holdId: "open", accountId, estimate: 5_000n });
    await capture(usageEvent({ accountId, costNanoUsd: 3_000n, chargeId: "charge-1" }));
    await capture(usageEvent({ accountId, costNanoUsd: 3_000n, chargeId: "charge-1" }));
    await capture(usageEvent({ accountId, costNanoUsd: 2_000n }));
  });

  afterAll(() => pool.end());

  test("are in order", async () => {
    const counts = { wallets: 1n, entries: 4n, openHolds: 1n };
    expect(await verifyLedger(prisma)).toEqual({ ...counts, discrepancies: [] });
  });

  /** Does what no trigger lets anybody do. */
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
    ["a balance", "UPDATE wallet SET balance_nano_usd = balance_nano_usd + 1", /entries add up/],
    ["what is held", "UPDATE wallet SET held_nano_usd = held_nano_usd + 1", /holds add up/],
    [
      "a lost wallet",
      "UPDATE wallet SET account_id = 'other'",
      /other: balance .*, entries add up to 0/,
    ],
    [
      "an hour's sum",
      "UPDATE spend_hour SET charged_nano_usd = charged_nano_usd + 1",
      /hour .*: entries charge .*, its sum is/,
    ],
    [
      "an hour that another's money went to",
      "UPDATE spend_hour SET hour = hour - interval '1 hour'",
      /hour .*: entries charge 0.*, its sum is/,
    ],
    [
      "a reference to a charge that was never made",
      "UPDATE entry SET reference = 'nothing' WHERE reference = 'charge-1'",
      /charge nothing: referred to, and not made/,
    ],
    [
      "an entry whose event is not on record",
      "DELETE FROM recorded_event WHERE event_id = (SELECT min(event_id) FROM recorded_event)",
      /not on record once/,
    ],
    [
      "an event without an entry",
      "INSERT INTO recorded_event VALUES ('stray', now())",
      /event stray: not on record once/,
    ],
    [
      "an event that was entered twice",
      `INSERT INTO entry (id, ${columns}, ${others}) SELECT id || 'x', ${columns}, ${others}
       FROM entry WHERE amount_nano_usd = 0`,
      /1 more entries than events/,
    ],
    [
      "a charge of another amount",
      "UPDATE charge SET charged_nano_usd = charged_nano_usd + 1",
      /charge charge-1: not what its entry says/,
    ],
  ])("%s that is wrong is told", async (_name, statement, words) => {
    await tamper("CREATE TABLE wallet_was AS TABLE wallet");
    for (const table of ["spend_hour", "recorded_event", "entry", "charge"]) {
      await tamper(`CREATE TABLE ${table}_was AS TABLE ${table}`);
    }
    await tamper(statement);
    const { discrepancies } = await verifyLedger(prisma);
    expect(discrepancies.join("\n")).toMatch(words);
    for (const table of ["wallet", "spend_hour", "recorded_event", "entry", "charge"]) {
      await tamper(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM ${table}_was;
        DROP TABLE ${table}_was`);
    }
    expect((await verifyLedger(prisma)).discrepancies).toEqual([]);
  });
});
