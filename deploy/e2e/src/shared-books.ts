import { createLog } from "@tollgate/core/log";
import { ledgerSchema } from "@tollgate/ledger/schema";
import { verifyLedger } from "@tollgate/ledger/verify/verify";
import { openDatabase } from "@tollgate/runtime/database/pool";
import pg from "pg";

/** The names of the databases of stacks that several files share begin with this. */
export const sharedDatabasePrefix = "shared_stack_";

/**
 * Compares the tables of the ledger in every database of a shared stack. Throws an Error that lists
 * the discrepancies.
 */
export async function verifySharedBooks(postgresUrl: string): Promise<void> {
  const discrepancies: string[] = [];
  for (const url of await sharedDatabases(postgresUrl)) {
    const pool = await openLedger(url);
    discrepancies.push(...(await verifyLedger(pool)).discrepancies);
    await pool.end();
  }
  if (discrepancies.length > 0) {
    throw new Error(`the books of a shared gateway are wrong:\n${discrepancies.join("\n")}`);
  }
}

function openLedger(url: string) {
  const log = createLog("silent");
  return openDatabase({ url, schema: ledgerSchema, migrates: false, maxConnections: 1, log });
}

async function sharedDatabases(postgresUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)",
    [sharedDatabasePrefix],
  );
  await client.end();
  return rows.map(({ name }) => {
    const url = new URL(postgresUrl);
    url.pathname = `/${name}`;
    return url.toString();
  });
}
