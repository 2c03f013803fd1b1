import { randomUUID } from "node:crypto";
import { createLog } from "@tollgate/core/log";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { releaseHold } from "../src/release.ts";
import { ledgerSchema } from "../src/schema.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";
import { limit } from "./limits-database.ts";

/** Postgres plans a prepared statement for its arguments five times before it may keep a plan. */
const calls = 8;
const keysOfAccount = 4_000;
const otherAccounts = 2_000;

let pool: pg.Pool;
let accountId: string;
const keyId = `key_${randomUUID()}`;

beforeAll(async () => {
  const url = await createLedgerDatabase(inject("postgresUrl"));
  await (await openLedger(url)).end();
  pool = await openDatabase({
    url,
    schema: ledgerSchema,
    // One session, since a session reports only its own reads when rowsRead asks.
    maxConnections: 1,
    log: createLog("silent"),
    settings: { enable_seqscan: "off" },
  });
  accountId = await openWallet(pool, 10n ** 15n);
  await limit(pool, accountId, { requestsPerMinute: 1_000 }, keyId);
  await pool.query(
    `INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd)
     SELECT 'acct_' || n, 0, 0 FROM generate_series(1, $1::int) AS n`,
    [otherAccounts],
  );
  await pool.query(
    `INSERT INTO usage_limit (owner_id, account_id, requests_per_minute)
     SELECT 'key_' || n, $1, 1 FROM generate_series(1, $2::int) AS n
     UNION ALL SELECT 'acct_' || n, 'acct_' || n, 1 FROM generate_series(1, $3::int) AS n`,
    [accountId, keysOfAccount, otherAccounts],
  );
  await pool.query("ANALYZE usage_limit");
});

afterAll(() => pool.end());

test("a request reads the limits of its key and its account only, however many keys have limits", async () => {
  const take = createHoldTaker(pool, 60_000);
  const capture = createCapture(pool);
  const before = await rowsRead();
  for (let call = 0; call < calls; call += 1) {
    const about = { accountId, keyId };
    const [captured, released] = [`${keyId}-${call}-a`, `${keyId}-${call}-b`];
    for (const holdId of [captured, released]) {
      await take({ ...about, holdId, estimateNanoUsd: 2_000n, tokens: 5n });
    }
    await releaseHold(pool, createWalletLocks(pool), released);
    const event = usageEvent({ ...about, holdId: captured, costNanoUsd: 1_000n, quantity: 3n });
    const done = capture({ ...event, unitType: "tokens" });
    capture.flush();
    await done;
  }
  // A call reads some 12 rows, and their earlier versions while autovacuum keeps these from being
  // removed. A single read of all keys' limits exceeds the bound.
  expect((await rowsRead()) - before).toBeLessThan(keysOfAccount);
});

/** Resolves with how many rows of limits have been read by an index. */
async function rowsRead(): Promise<number> {
  await pool.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ read: bigint }>(
    "SELECT sum(idx_tup_read)::bigint AS read FROM pg_stat_user_indexes WHERE relname = 'usage_limit'",
  );
  return Number(rows[0]?.read);
}
