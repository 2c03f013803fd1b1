import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import pg from "pg";
import { isNoticeSubject, localNotices, type Notices } from "../broker/notices.ts";
import { DatabaseServers } from "./database-servers.ts";

const channel = "tollgate";
/** The wait before the first attempt to reconnect. It doubles with each attempt that fails. */
const firstRetryMs = 100;
const maxRetryMs = 5_000;
/** A connection that a network has dropped without a word is found by the next heartbeat. */
const heartbeatMs = 10_000;
const timeoutMs = 5_000;

/** Notices that Postgres delivers to the other processes of a database. */
export interface PostgresNotices extends Notices {
  close(): Promise<void>;
}

/**
 * Sends notices by NOTIFY, and receives those of others by LISTEN, over one connection of its own. It
 * connects in the background, and reconnects without limit. Notices published while there is no
 * connection are lost. Where LISTEN fails, it is logged once, and notices are not received.
 *
 * Longer than 70 lines: its functions share the state of one connection.
 */
export function openPostgresNotices(url: string, log: Log): PostgresNotices {
  const received = localNotices();
  const servers = new DatabaseServers(url);
  const missedListeners: (() => void)[] = [];
  let state: State = { kind: "connecting" };
  /** The wait before the next attempt. */
  let retryMs = firstRetryMs;
  let wasConnected = false;

  async function open(): Promise<void> {
    state = { kind: "connecting" };
    const server = servers.url();
    const opened = createClient(server);
    let isLost = false;
    const lose = (error?: Error) => {
      if (isLost) return;
      isLost = true;
      retire(opened, error);
    };
    opened.on("error", lose);
    opened.on("end", () => lose());
    opened.on("notification", ({ payload = "" }) => receive(payload));
    try {
      await opened.connect();
      // A standby refuses it.
      await opened.query(`LISTEN ${channel}`);
    } catch (error) {
      servers.leave(server);
      return lose(error as Error);
    }
    if (isClosed() || isLost) return void opened.end().catch(() => {});
    state = { kind: "connected", client: opened, lose };
    retryMs = firstRetryMs;
    heartbeats.resume();
    if (wasConnected) for (const listener of missedListeners) listener();
    wasConnected = true;
  }

  async function beat(): Promise<void> {
    if (state.kind === "connected") await state.client.query("SELECT 1").catch(state.lose);
  }

  const isClosed = () => state.kind === "closed";

  const heartbeats = repeat(beat, {
    everyMs: heartbeatMs,
    isIdle: () => state.kind !== "connected",
  });

  const attempts = repeat(open, {
    everyMs: nextRetryMs,
    isIdle: () => state.kind !== "waiting",
  });

  function nextRetryMs(): number {
    const everyMs = retryMs;
    retryMs = Math.min(retryMs * 2, maxRetryMs);
    return everyMs;
  }

  /** Closes a connection that has failed, and opens another one later. */
  function retire(lost: pg.Client, error: Error | undefined): void {
    void lost.end().catch(() => {});
    if (isClosed()) return;
    // The first failure since there was a connection.
    if (retryMs === firstRetryMs) {
      const reason = error?.message ?? "the connection ended";
      log.warn({ reason }, "cannot receive notices from Postgres");
    }
    state = { kind: "waiting" };
    attempts.resume();
  }

  function receive(payload: string): void {
    const space = payload.indexOf(" ");
    const subject = payload.slice(0, space);
    if (isNoticeSubject(subject)) received.publish(subject, payload.slice(space + 1));
  }

  attempts.wake();
  return {
    publish(subject, text) {
      if (state.kind !== "connected") return;
      const sent = state.client.query(notifySql, [channel, `${subject} ${text}`]);
      sent.catch((error: Error) => {
        log.warn({ reason: error.message, subject }, "a notice was lost");
      });
    },
    subscribe: received.subscribe,
    onMissed(listener) {
      missedListeners.push(listener);
    },
    async close() {
      const before = state;
      state = { kind: "closed" };
      void heartbeats.stop();
      void attempts.stop();
      if (before.kind === "connected") await before.client.end().catch(() => {});
    },
  };
}

/** The connection. `waiting`: for the next attempt, after one has failed or was lost. */
type State =
  | { kind: "connecting" }
  | { kind: "connected"; client: pg.Client; lose(error: Error): void }
  | { kind: "waiting" }
  | { kind: "closed" };

const notifySql = "SELECT pg_notify($1, $2)";

function createClient(url: string): pg.Client {
  return new pg.Client({
    connectionString: url,
    application_name: "tollgate-notices",
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
  });
}
