import { createLog } from "@tollgate/core/log";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { createEntryPartitions } from "../src/entry-partitions.ts";
import { ledgerSchema } from "../src/schema.ts";
import { topUp } from "../src/wallet.ts";
import {
  createLedgerDatabase,
  openLedger,
  openWallet,
  readWallet,
  usageEvent,
} from "./ledger-database.ts";
import { type LedgerWithDatabase, startLedger } from "./running-ledger.ts";

const log = createLog("silent");

describe("the months of entries", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  async function readPartitions(target: pg.Pool): Promise<string[]> {
    const { rows } = await target.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits
       WHERE inhparent = 'entry'::regclass ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  test("have partitions of their own from this month to the third after it", async () => {
    const { rows } = await pool.query<{ names: string[] }>(
      `SELECT array_agg('entry_' || to_char(
         date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month', 'YYYY_MM')) AS names
       FROM generate_series(0, 3) AS n`,
    );
    expect(await readPartitions(pool)).toEqual([...(rows[0]?.names ?? []), "entry_default"].sort());
    const accountId = await openWallet(pool, 1_000n);
    const { rows: tables } = await pool.query(
      "SELECT tableoid::regclass::text AS name FROM entry WHERE account_id = $1",
      [accountId],
    );
    expect(tables).toEqual([{ name: rows[0]?.names[0] }]);
  });

  test("are created once by replicas that start together, and entries without one are stored", async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    const options = { url, schema: ledgerSchema, maxConnections: 8, log };
    const target = await openDatabase(options);
    const accountId = await openWallet(target, 1_000_000n);
    // The top-up is in entry_default: this month stays there, and the later ones get a partition.
    const captures = Array.from({ length: 20 }, () =>
      createCapture(target)(usageEvent({ accountId, costNanoUsd: 1_000n })),
    );
    const replicas = Array.from({ length: 4 }, () => createEntryPartitions(target, log));
    await Promise.all([...captures, ...replicas]);
    expect(await readPartitions(target)).toHaveLength(4);
    await createCapture(target)(usageEvent({ accountId, costNanoUsd: 1_000n }));
    expect(await readWallet(target, accountId)).toMatchObject({
      balance: 979_000n,
      entries: 979_000n,
    });
    await target.end();
  });

  test.each([
    ["inserted", "INSERT INTO TABLE SELECT * FROM entry", "only through entries and holds"],
    ["changed", "UPDATE TABLE SET amount_nano_usd = 0", "append-only"],
    ["deleted", "DELETE FROM TABLE", "append-only"],
    ["truncated", "TRUNCATE TABLE", "append-only"],
  ])("refuse entries that are %s by the partition's name", async (_, statement, words) => {
    const accountId = await openWallet(pool, 1_000n);
    const { rows } = await pool.query<{ name: string }>(
      "SELECT tableoid::regclass::text AS name FROM entry WHERE account_id = $1",
      [accountId],
    );
    const change = pool.query(statement.replace(/\bTABLE\b/, rows[0]?.name ?? ""));
    await expect(change).rejects.toThrow(words);
  });

  test("do not include entry_default, which refuses the same changes", async () => {
    const insert = pool.query("INSERT INTO entry_default SELECT * FROM entry");
    await expect(insert).rejects.toThrow("only through entries and holds");
    await expect(pool.query("TRUNCATE entry_default")).rejects.toThrow("append-only");
  });
});

describe("with a month detached", () => {
  let pool: pg.Pool;
  let ledger: LedgerWithDatabase;

  beforeAll(async () => {
    ledger = await startLedger(inject("postgresUrl"));
    pool = ledger.pool;
  });

  afterAll(() => ledger.stop());

  test("events, charge ids and top-ups of the month stay recorded once, and conversations complete", async () => {
    const accountId = await openWallet(pool, 1_000_000n);
    const conversationId = "key_1/old";
    const event = usageEvent({
      accountId,
      conversationId,
      costNanoUsd: 5_000n,
      chargeId: "charge-old",
    });
    await ledger.client.recordUsage({ events: [event] });
    await detachThisMonth();
    const again = usageEvent({
      accountId,
      conversationId,
      costNanoUsd: 5_000n,
      chargeId: "charge-old",
    });
    await ledger.client.recordUsage({ events: [event, again] });
    const { credited } = await ledger.client.topUp({
      accountId,
      amountNanoUsd: 1_000_000n,
      reference: "opening",
    });
    expect(credited).toBe(false);
    const other = { accountId, amountNanoUsd: 7_000n, reference: "opening", at: new Date() };
    await expect(topUp(pool, other)).rejects.toMatchObject({ code: "invalid_param" });
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 995_000n });
    expect(await ledger.client.findCharge({ chargeId: "charge-old" })).toMatchObject({
      chargedNanoUsd: 5_000n,
    });
    expect(await ledger.client.confirmUsage({ eventIds: [event.id] })).toMatchObject({
      missingEventIds: [],
    });
    expect(await ledger.client.listEntries({ accountId, limit: 10 })).toMatchObject({
      entries: [{ reference: "charge-old", amountNanoUsd: 0n }],
    });
    expect(
      await ledger.client.listConversationEntries({ accountId, conversationId }),
    ).toMatchObject({
      entries: [{ requestId: again.requestId }],
      totalNanoUsd: -5_000n,
      hasMore: true,
    });
    const from = { seconds: BigInt(Math.floor(Date.now() / 1_000) - 7_200), nanos: 0 };
    const hour = { seconds: from.seconds - (from.seconds % 3_600n), nanos: 0 };
    expect((await ledger.client.getSpend({ accountId, from: hour })).spendNanoUsd).toBe(5_000n);
  });

  /** The ledger stores later entries of the month in entry_default. */
  async function detachThisMonth(): Promise<void> {
    const { rows } = await pool.query<{ name: string }>(
      "SELECT 'entry_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM') AS name",
    );
    await pool.query(`ALTER TABLE entry DETACH PARTITION ${rows[0]?.name}`);
    await createEntryPartitions(pool, log);
  }
});
