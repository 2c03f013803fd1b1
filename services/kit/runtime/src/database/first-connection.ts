import type { Log } from "@tollgate/core/log";
import { Pauses } from "@tollgate/core/pauses";
import pg from "pg";

/** A database that starts at the same time as this process accepts connections by then. */
const patienceMs = 30_000;
const retryMs = 500;

/** SQLSTATE read_only_sql_transaction. */
const readOnlyCode = "25006";

/** The server of a new connection takes no writes. */
export class ReadOnlyServer extends Error {
  readonly code = readOnlyCode;

  constructor() {
    super("the server takes no writes: it is a standby");
  }
}

/** Codes of Node and SQLSTATEs of a server that may be about to start. */
const temporary: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  // cannot_connect_now: the database system is starting up.
  "57P03",
  readOnlyCode,
]);

/**
 * Resolves once the pool has a connection. While nothing accepts connections, it tries again for
 * `patienceMs`; then, and at any other error such as a wrong password, it rejects.
 */
export async function awaitFirstConnection(pool: pg.Pool, server: string, log: Log): Promise<void> {
  const pauses = new Pauses({ firstMs: retryMs, forMs: patienceMs });
  for (let attempt = 1; ; attempt += 1) {
    try {
      const client = await pool.connect();
      client.release();
      return;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      if (attempt === 1) log.warn({ server, reason: messageOf(error) }, "waiting for the database");
      if (!(await pauses.next())) throw error;
    }
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isTemporary);
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return temporary.has(code);
  // The driver gives these no code.
  const isCut = /terminated unexpectedly|timeout exceeded|connection timeout/i.test(error.message);
  return isCut && !(error instanceof pg.DatabaseError);
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
