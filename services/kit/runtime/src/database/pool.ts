import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import pg from "pg";
import { DatabaseSocket } from "./database-socket.ts";
import { applyMigrations, type DatabaseSchema, requireMigrations } from "./migrate.ts";

const statementTimeoutMs = 15_000;
/**
 * A connection is waited for as long as what another does on it may take: a database or a machine
 * that stands still for some seconds fails nobody whose call allows for them.
 */
const connectTimeoutMs = statementTimeoutMs;
const int8 = 20;
const bytea = 17;

export interface DatabaseOptions {
  url: string;
  /** The service's own: its tables live there and nowhere else. */
  schema: DatabaseSchema;
  maxConnections: number;
  log: Log;
  /** False where others bring the schema up to date: then it must be. True by default. */
  migrates?: boolean;
  /** Settings of every connection, beside the search path and the statement time-out. */
  settings?: Readonly<Record<string, string>>;
}

/**
 * Connects to a service's own schema and brings it up to date, or, where others do that, sees that
 * it is. Raises a StartError when it is not, or when the database cannot be reached. `bigint`
 * columns come as bigint, and a `bytea` of a query in the binary format as its bytes, without a
 * detour by text.
 */
export async function openDatabase(options: DatabaseOptions): Promise<pg.Pool> {
  const { url, schema, maxConnections, migrates = true, log } = options;
  const settings = {
    search_path: schema.name,
    statement_timeout: String(statementTimeoutMs),
    // A process that hangs, or whose machine is gone, must not keep its locks.
    idle_in_transaction_session_timeout: String(statementTimeoutMs),
    ...options.settings,
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: `tollgate-${schema.name}`,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    types: { getTypeParser },
    stream: () => new DatabaseSocket(),
  });
  pool.on("error", (error) => log.warn({ reason: error.message }, "database connection lost"));
  // Whoever holds one that breaks is told by its query. If nobody listened to the client, it would
  // end the program besides.
  pool.on("connect", (client) => client.on("error", () => {}));
  try {
    if (migrates) await applyMigrations(pool, schema, log);
    else await requireMigrations(pool, schema);
  } catch (error) {
    await pool.end();
    if (error instanceof StartError) throw error;
    throw new StartError(`${describeServer(url)} cannot be used: ${describeError(error)}`);
  }
  return pool;
}

/** Whether a failed statement is at fault itself (SQLSTATE 22 and 23), and not the connection. */
export function isStatementFault(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? "");
}

function getTypeParser(oid: number, format?: "text" | "binary") {
  if (oid === int8 && format !== "binary") return BigInt;
  // The driver uses its buffer again, so the bytes are copied.
  if (oid === bytea && format === "binary") return (value: Buffer) => Buffer.from(value);
  return pg.types.getTypeParser(oid, format);
}

/** The database's place without its user and password. */
function describeServer(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `database ${host}${pathname}`;
  } catch {
    return "DATABASE_URL";
  }
}

function describeError(error: unknown): string {
  if (error instanceof AggregateError) return describeError(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
