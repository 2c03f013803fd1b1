import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type pg from "pg";
import { applyFunctions, findPendingFunction } from "./functions.ts";

/** A number that no other user of the database locks. One lock serves all schemas. */
const advisoryLock = 7_464_108_427n;

/** Longer than any statement of a service runs. */
const lockTimeout = "20s";

export interface DatabaseSchema {
  name: string;
  /** The folder of its migrations, in Prisma's layout. */
  migrations: URL;
  /**
   * The folder of its functions, if it has any: `<name>.sql`, in it or in a folder within it, creates
   * the function `<name>`.
   */
  functions?: URL;
}

/**
 * Applies the migrations that the schema lacks, in order and each in a transaction, and records
 * them as Prisma does; then the functions whose text changed, in a transaction of their own: a
 * migration must also work with the functions that are installed before it. Replicas that start
 * together take turns. A program that finds migrations of a newer one leaves the functions as they
 * are. Throws a StartError when a migration was changed after it was applied, or when one fails.
 */
export async function applyMigrations(
  pool: pg.Pool,
  { name: schema, migrations: folder, functions }: DatabaseSchema,
  log: Log,
  restoresFunctions = false,
): Promise<void> {
  const migrations = await readMigrations(folder);
  const client = await pool.connect();
  try {
    await client.query("SET statement_timeout = 0");
    await client.query("SELECT pg_advisory_lock($1)", [advisoryLock]);
    // A migration that waits for a table's lock blocks every replica that uses the table.
    await client.query(`SET lock_timeout = '${lockTimeout}'`);
    await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    await client.query(createHistory);
    const applied = await readHistory(client);
    for (const migration of migrations) {
      const checksum = applied.get(migration.name);
      if (checksum === migration.checksum) continue;
      const title = `migration ${schema}/${migration.name}`;
      if (checksum !== undefined) throw new StartError(`${title} was changed after it was applied`);
      await applyOne(client, migration, title);
      log.info({ schema, migration: migration.name }, "migration applied");
    }
    const known = new Set(migrations.map(({ name }) => name));
    const isNewest = [...applied.keys()].every((name) => known.has(name));
    if (functions && isNewest) {
      const options = { schema, folder: functions, restores: restoresFunctions };
      await applyFunctions(client, options, log);
    }
  } finally {
    // Closing the connection releases the lock, and resets its settings.
    client.release(true);
  }
}

/**
 * Throws a StartError unless every migration and function of this program has been applied. A
 * migration that this program does not have belongs to a newer program, which may run beside it.
 */
export async function requireMigrations(
  pool: pg.Pool,
  { name: schema, migrations: folder, functions }: DatabaseSchema,
): Promise<void> {
  const { rows } = await pool.query<{ exists: boolean }>(
    "SELECT to_regclass($1) IS NOT NULL AS exists",
    [`${schema}._prisma_migrations`],
  );
  const applied = rows[0]?.exists ? await readHistory(pool) : new Map<string, string>();
  for (const { name } of await readMigrations(folder)) {
    if (!applied.has(name)) throw notApplied(`migration ${schema}/${name}`);
  }
  const pending = functions && (await findPendingFunction(pool, { schema, folder: functions }));
  if (pending !== undefined) throw notApplied(`function ${schema}/${pending}`);
}

function notApplied(title: string): StartError {
  return new StartError(
    `${title} is not applied: run --target migrate, or set TOLLGATE_MIGRATE=on`,
  );
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(new URL(`${name}/migration.sql`, folder), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

async function readHistory(client: pg.Pool | pg.PoolClient): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    "SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL",
  );
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

async function applyOne(client: pg.PoolClient, migration: Migration, title: string): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(migration.sql);
    await client.query(recordMigration, [randomUUID(), migration.checksum, migration.name]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw new StartError(`${title} failed: ${(error as Error).message}`);
  }
}

/** Prisma's own table of applied migrations, column by column. */
const createHistory = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  varchar(36) PRIMARY KEY,
    checksum            varchar(64) NOT NULL,
    finished_at         timestamptz,
    migration_name      varchar(255) NOT NULL,
    logs                text,
    rolled_back_at      timestamptz,
    started_at          timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

const recordMigration = `
  INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
  VALUES ($1, $2, now(), $3, 1)`;
