import type { Socket } from "node:net";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import pg from "pg";
import { DatabaseServers } from "./database-servers.ts";
import { awaitFirstConnection, ReadOnlyServer } from "./first-connection.ts";
import { applyMigrations, type DatabaseSchema, requireMigrations } from "./migrate.ts";
import { requireSessions, useSessions } from "./require-sessions.ts";

const defaultStatementTimeoutMs = 15_000;
/**
 * A query waits for a free connection as long as a statement on it may take. A database or machine
 * that stalls for some seconds then fails no call that allows for them.
 */
const connectTimeoutMs = defaultStatementTimeoutMs;
/**
 * How long an unused connection stays open. A request that has to wait for a new connection, and for
 * its statements to be prepared on it, takes some 8 ms longer. With the driver's default of 10
 * seconds, that is every request of a client that sends one now and then.
 */
const idleTimeoutMs = 300_000;
/**
 * Idle time before TCP keep-alive probes. Firewalls and load balancers drop connections that are
 * silent for minutes, without notice to either end.
 */
const keepAliveMs = 30_000;
/**
 * How much longer than its time limit a statement may stay without a response. A server whose machine has
 * failed ends no connection, and a statement on one would wait for minutes.
 */
const responseDelayMs = 5_000;
const int8 = 20;

export interface DatabaseOptions {
  url: string;
  /** The schema of the service, which has all its tables. */
  schema: DatabaseSchema;
  maxConnections: number;
  log: Log;
  /** Whether to apply migrations; if not, another process must have applied them. Default true. */
  migrates?: boolean;
  /** Whether functions that a newer program has replaced are installed again. Default false. */
  restoresFunctions?: boolean;
  /** The time limit of a statement, 0 for none. Default 15 seconds. */
  statementTimeoutMs?: number;
  /** Settings of every connection, besides the search path and the timeouts. */
  settings?: Readonly<Record<string, string>>;
  /** Creates the socket of a connection. By default, the driver does. */
  createSocket?: () => Socket;
}

/**
 * Connects to the schema of a service, and applies its migrations or checks that they are applied.
 * Waits for a server that accepts no connections yet, 30 seconds at most. Where the URL names several
 * servers, connects to the one that takes writes. Throws a StartError when the migrations are not applied,
 * when the database is unavailable, and behind a pooler that shares sessions. Queries return `bigint`
 * columns as bigint.
 */
export async function openDatabase(options: DatabaseOptions): Promise<pg.Pool> {
  const { url, schema, migrates = true, log } = options;
  const { statementTimeoutMs = defaultStatementTimeoutMs } = options;
  const servers = new DatabaseServers(url);
  // A migration may take long, so that it has connections without a limit.
  const migrating = createPool(options, servers, {});
  try {
    await awaitFirstConnection(migrating, describeServer(url), log);
    await requireSessions(migrating, schema.name);
    if (migrates) await applyMigrations(migrating, schema, log, options.restoresFunctions);
    else await requireMigrations(migrating, schema);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${describeServer(url)} cannot be used: ${describeError(error)}`);
  } finally {
    await migrating.end();
  }
  const limits = statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + responseDelayMs };
  return createPool(options, servers, { ...limits });
}

function createPool(
  {
    schema,
    maxConnections,
    log,
    createSocket,
    statementTimeoutMs = defaultStatementTimeoutMs,
    settings: more,
  }: DatabaseOptions,
  servers: DatabaseServers,
  limits: pg.PoolConfig,
): pg.Pool {
  const settings = {
    search_path: schema.name,
    statement_timeout: String(statementTimeoutMs),
    // A process that hangs, or whose machine has failed, must not retain its locks.
    idle_in_transaction_session_timeout: String(defaultStatementTimeoutMs),
    ...more,
  };
  const pool = new pg.Pool({
    Client: clientOf(servers),
    ...limits,
    ...(servers.mustTakeWrites && { onConnect: requireWrites }),
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    application_name: `tollgate-${schema.name}`,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    types: { getTypeParser },
    ...(createSocket && { stream: createSocket }),
  });
  pool.on("error", (error) =>
    log.warn({ reason: error.message }, "lost an idle database connection"),
  );
  // The query on a connection that breaks rejects. Without a listener, the client's error event
  // would also end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Returns the class of clients that connect to the server in use, and leave one that they cannot reach. */
function clientOf(servers: DatabaseServers) {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const url = servers.url();
      super({ ...config, connectionString: url });
      const leave = () => servers.leave(url);
      this.once("end", leave);
      if (!servers.mustTakeWrites) this.once("connect", () => this.off("end", leave));
      else this.once(takesWrites, () => this.off("end", leave));
    }
  };
}

/** The event of a client whose server takes writes. */
const takesWrites = "takesWrites";

/** Throws an error where the server of a new connection is a standby. */
async function requireWrites(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>(
    "SHOW transaction_read_only",
  );
  if (rows[0]?.transaction_read_only === "on") throw new ReadOnlyServer();
  client.emit(takesWrites);
}

/**
 * Returns whether a statement failed by its data (SQLSTATE classes 22 and 23), not by the
 * connection.
 */
export function isStatementFault(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? "");
}

function getTypeParser(oid: number, format?: "text" | "binary") {
  if (oid === int8 && format !== "binary") return BigInt;
  return pg.types.getTypeParser(oid, format);
}

/** Returns the host and database of a URL, without its user and password. */
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
  if (error instanceof Error && error.message.startsWith("unsupported startup parameter")) {
    return `it is a pooler that takes no settings of connections: ${useSessions}`;
  }
  return error instanceof Error ? error.message : String(error);
}
