import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { createLog } from "@tollgate/core/log";
import { Outcome, type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { openDatabase } from "@tollgate/runtime/database/pool";
import pg from "pg";
import { createEntryPartitions } from "../src/entry-partitions.ts";
import { ledgerSchema } from "../src/schema.ts";
import { topUp } from "../src/wallet.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A Postgres in which every suite creates databases of its own. */
    postgresUrl: string;
  }
}

/** Creates a database in the run's Postgres. Resolves with its URL. */
export async function createLedgerDatabase(postgresUrl: string): Promise<string> {
  const name = `ledger_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: postgresUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

/** Connects to a database, and creates the ledger's tables and functions in it. */
export async function openLedger(url: string): Promise<pg.Pool> {
  const log = createLog("silent");
  const pool = await openDatabase({ url, schema: ledgerSchema, maxConnections: 8, log });
  await createEntryPartitions(pool, log);
  return pool;
}

/** Opens a wallet of a new account. Resolves with the account's id. */
export async function openWallet(pool: pg.Pool, amountNanoUsd: bigint): Promise<string> {
  const accountId = `acct_${randomUUID()}`;
  await topUp(pool, { accountId, amountNanoUsd, reference: "opening", at: new Date() });
  return accountId;
}

/** Resolves with a wallet's balance, held amount and sum of entries, nano-USD. */
export async function readWallet(pool: pg.Pool, accountId: string) {
  const { rows } = await pool.query<{ balance: bigint; held: bigint; entries: bigint }>(
    `SELECT balance_nano_usd AS balance, held_nano_usd AS held,
       (SELECT coalesce(sum(amount_nano_usd), 0)::bigint FROM entry e
        WHERE e.account_id = w.account_id) AS entries
     FROM wallet w WHERE account_id = $1`,
    [accountId],
  );
  return rows[0];
}

/** Returns a completed event with a new id. */
export function usageEvent(fields: Partial<UsageEvent> & { accountId: string }): UsageEvent {
  const id = `req_${randomUUID()}`;
  const outcome = Outcome.COMPLETED;
  const event = create(UsageEventSchema, { id, requestId: id, outcome, routeType: "chat" });
  const { promptTokens = 0n, completionTokens = 0n } = fields;
  const quantity = promptTokens + completionTokens;
  const counted = fields.quantity === undefined ? { unitType: "tokens", quantity } : {};
  return Object.assign(event, quantity > 0n ? counted : {}, fields);
}
