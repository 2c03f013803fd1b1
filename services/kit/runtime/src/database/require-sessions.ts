import { randomUUID } from "node:crypto";
import { StartError } from "@tollgate/core/errors";
import pg from "pg";

/** A pooler with a single connection does not run a statement while another client has a transaction. */
const heldMs = 2_000;

/** What to do about a pooler. */
export const useSessions =
  "name Postgres itself, or a pooler that pools sessions and passes settings on";

/**
 * Throws a StartError where a pooler between this process and Postgres drops the settings of a
 * connection, or gives each transaction another session, as PgBouncer does with
 * `pool_mode = transaction`: settings, prepared statements and locks would be those of another client.
 */
export async function requireSessions(pool: pg.Pool, searchPath: string): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number; path: string }>(
      "SELECT pg_backend_pid() AS pid, current_setting('search_path') AS path",
    );
    if (rows[0]?.path !== searchPath) {
      throw new StartError(`a pooler drops the settings of connections: ${useSessions}`);
    }
    // A pooler gives its clients process ids of its own.
    const isDirect = (client as pg.PoolClient & { processID?: number }).processID === rows[0].pid;
    if (!isDirect && !(await keepsSession(client, pool))) {
      throw new StartError(`a pooler gives each transaction another session: ${useSessions}`);
    }
  } finally {
    client.release();
  }
}

/**
 * Resolves with whether a client has the session of its last statement while another client, which takes
 * the session that became free last, has a transaction.
 */
async function keepsSession(client: pg.PoolClient, { options }: pg.Pool): Promise<boolean> {
  const mark = randomUUID();
  await client.query("SELECT set_config('tollgate.session', $1, false)", [mark]);
  const other = new pg.Client(options);
  other.on("error", () => {});
  await other.connect();
  try {
    await other.query("BEGIN");
    await other.query("SELECT 1");
    const text = "SELECT current_setting('tollgate.session', true) AS mark";
    const query = { text, query_timeout: heldMs } as pg.QueryConfig;
    const { rows } = await client.query<{ mark: string | null }>(query);
    return rows[0]?.mark === mark;
  } catch {
    return false;
  } finally {
    await other.end();
  }
}
