import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import pg from "pg";

const extension = ".sql";

/** SQLSTATE of CREATE OR REPLACE with another return type or other argument names. */
const invalidFunctionDefinition = "42P13";

/** SQLSTATE of a function in SQL that calls one which does not exist. */
const undefinedFunction = "42883";

/**
 * The file `<name>.sql`, in the folder or in one within it, which creates the function `<name>` with
 * CREATE OR REPLACE.
 */
interface FunctionFile {
  /** Its path in the folder. */
  path: string;
  name: string;
  sql: string;
  checksum: string;
}

/**
 * Installs each function whose file's text is not the installed one, and drops those whose file was
 * removed, all in one transaction: other sessions call either the old functions or the new ones.
 * A function that calls another one is installed after it. The caller holds the lock that prevents
 * other programs from doing the same. Throws a StartError when a file fails; then nothing has changed.
 *
 * A program all of whose texts were installed before is an older one, which starts beside a newer
 * one: it leaves the newer functions in place, and logs that it does, unless it `restores` its own.
 *
 * A function is replaced in place unless its return type or its arguments change. Then the earlier
 * one is dropped, and replicas that still call it fail: name the new one differently, and remove
 * the old file a release later.
 */
export async function applyFunctions(
  client: pg.PoolClient,
  { schema, folder, restores }: { schema: string; folder: URL; restores: boolean },
  log: Log,
): Promise<void> {
  const files = await readFiles(folder);
  await client.query(createHistory);
  const { installed, known } = await readHistory(client);
  const changed = files.filter((file) => installed.get(file.name) !== file.checksum);
  const removed = [...installed.keys()].filter((name) => !files.some((file) => file.name === name));
  if (changed.length === 0 && removed.length === 0) return;
  if (!restores && changed.every((file) => known.has(textOf(file)))) {
    const functions = changed.map((file) => file.name);
    const message =
      "newer functions stay installed: --target migrate installs those of this program";
    log.warn({ schema, functions, additional: removed }, message);
    return;
  }
  let current = "";
  await client.query("BEGIN");
  try {
    for (current of removed) {
      await dropAll(client, await findVersions(client, current));
      await client.query(recordRemoval, [current]);
    }
    let waiting = changed;
    for (let mayWait = true; waiting.length > 0; ) {
      const callers: FunctionFile[] = [];
      for (const file of waiting) {
        current = file.name;
        if (!(await install(client, file, { mayWait }))) callers.push(file);
      }
      mayWait = callers.length < waiting.length;
      waiting = callers;
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw new StartError(`function ${schema}/${current} failed: ${(error as Error).message}`);
  }
  const functions = changed.map((file) => file.name);
  log.info({ schema, functions, dropped: removed }, "functions applied");
}

/**
 * Returns the name of a function whose file's text was never installed, or undefined. A text that
 * was installed and has been replaced since counts: a newer program's function serves this one
 * too.
 */
export async function findPendingFunction(
  pool: pg.Pool,
  { schema, folder }: { schema: string; folder: URL },
): Promise<string | undefined> {
  const { rows: tables } = await pool.query<{ exists: boolean }>(
    "SELECT to_regclass($1) IS NOT NULL AS exists",
    [`${schema}._sql_functions`],
  );
  const known = tables[0]?.exists ? (await readHistory(pool)).known : new Set<string>();
  const files = await readFiles(folder);
  return files.find((file) => !known.has(textOf(file)))?.name;
}

function textOf({ name, checksum }: { name: string; checksum: string }): string {
  return `${name} ${checksum}`;
}

/** Reads the files of the folder and of those within it. Throws a StartError where two have one name. */
async function readFiles(folder: URL): Promise<FunctionFile[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) =>
    path.endsWith(extension),
  );
  const files = await Promise.all(
    paths.sort().map(async (path) => {
      const sql = await readFile(new URL(path, folder), "utf8");
      const checksum = createHash("sha256").update(sql).digest("hex");
      return { path, name: basename(path, extension), sql, checksum };
    }),
  );
  const pathOf = new Map<string, string>();
  for (const { name, path } of files) {
    const other = pathOf.get(name);
    if (other !== undefined) throw new StartError(`${other} and ${path} create one function`);
    pathOf.set(name, path);
  }
  return files;
}

/** Returns the checksums of the installed texts by function, and all texts ever installed. */
async function readHistory(client: pg.Pool | pg.PoolClient) {
  const { rows } = await client.query<{ name: string; checksum: string; is_installed: boolean }>(
    "SELECT name, checksum, replaced_at IS NULL AS is_installed FROM _sql_functions",
  );
  const installed = rows.filter((row) => row.is_installed);
  return {
    installed: new Map(installed.map((row) => [row.name, row.checksum])),
    known: new Set(rows.map(textOf)),
  };
}

/**
 * Runs a file, records it, and drops the versions of its function that the file does not create.
 * Returns false, and changes nothing, where the function calls one that is not installed and may wait
 * for it.
 */
async function install(
  client: pg.PoolClient,
  { name, sql, checksum }: FunctionFile,
  { mayWait }: { mayWait: boolean },
): Promise<boolean> {
  const before = await findVersions(client, name);
  await client.query("SAVEPOINT before_file");
  try {
    await client.query(sql);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query("ROLLBACK TO SAVEPOINT before_file");
    if (error.code === undefinedFunction && mayWait) return false;
    if (error.code !== invalidFunctionDefinition) throw error;
    await dropAll(client, before);
    await client.query(sql);
  }
  const after = await findVersions(client, name);
  const untouched = after.filter((one) => before.some(({ row }) => row === one.row));
  if (untouched.length === after.length) {
    throw new Error(`${name}${extension} creates no function ${name}`);
  }
  await dropAll(client, untouched);
  await client.query(recordRemoval, [name]);
  await client.query(recordInstallation, [name, checksum]);
  return true;
}

/** One function of a name; there are several where their arguments differ. */
interface FunctionVersion {
  /** The name and the types of the arguments. */
  signature: string;
  /** Changes whenever the function is created or replaced. */
  row: string;
}

async function findVersions(client: pg.PoolClient, name: string): Promise<FunctionVersion[]> {
  const { rows } = await client.query<FunctionVersion>(
    `SELECT oid::regprocedure::text AS signature, oid || ' ' || xmin AS row FROM pg_proc
     WHERE pronamespace = current_schema()::regnamespace AND proname = $1`,
    [name],
  );
  return rows;
}

async function dropAll(client: pg.PoolClient, versions: readonly FunctionVersion[]): Promise<void> {
  for (const { signature } of versions) await client.query(`DROP FUNCTION ${signature}`);
}

/** Every text that was ever installed; the installed one has no `replaced_at`. */
const createHistory = `
  CREATE TABLE IF NOT EXISTS _sql_functions (
    name        text NOT NULL,
    checksum    text NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT now(),
    replaced_at timestamptz,
    PRIMARY KEY (name, checksum)
  )`;

const recordRemoval = `
  UPDATE _sql_functions SET replaced_at = now() WHERE name = $1 AND replaced_at IS NULL`;

const recordInstallation = `
  INSERT INTO _sql_functions (name, checksum) VALUES ($1, $2)
  ON CONFLICT (name, checksum) DO UPDATE SET applied_at = now(), replaced_at = NULL`;
