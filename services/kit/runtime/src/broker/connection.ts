import type { Log } from "@tollgate/core/log";
import { connect, type NatsConnection } from "nats";

const retryMs = 1_000;

/** A connection to NATS that may be away: services start and go on without it. */
export interface Broker {
  /** The live connection; undefined while the broker is away. */
  connection(): NatsConnection | undefined;
  /** Calls `use` now or once the connection is there. It is made once and mends itself. */
  whenConnected(use: (connection: NatsConnection) => void): void;
  /** Sends what is still buffered, then closes. */
  close(): Promise<void>;
}

/** Connects in the background, and keeps trying for as long as it takes. */
export function openBroker(url: string, name: string, log: Log): Broker {
  let connection: NatsConnection | undefined;
  let up = false;
  let closed = false;
  let waiting: ((connection: NatsConnection) => void)[] = [];
  let retry: NodeJS.Timeout | undefined;

  async function open(): Promise<void> {
    try {
      const opened = await connect({
        servers: url,
        name,
        maxReconnectAttempts: -1,
        // Two stack traces for every message that is awaited, in case it fails.
        noAsyncTraces: true,
      });
      if (closed) return await opened.close();
      connection = opened;
      up = true;
      void follow(opened);
      for (const use of waiting) use(opened);
      waiting = [];
    } catch (error) {
      if (closed) return;
      log.warn({ reason: (error as Error).message }, "broker is out of reach");
      retry = setTimeout(() => void open(), retryMs);
    }
  }

  async function follow(opened: NatsConnection): Promise<void> {
    for await (const { type } of opened.status()) {
      if (type === "disconnect") {
        up = false;
        log.warn({}, "broker went away");
      } else if (type === "reconnect") {
        up = true;
        log.info({}, "broker is back");
      }
    }
  }

  void open();
  return {
    connection: () => (up ? connection : undefined),
    whenConnected(use) {
      if (connection === undefined) waiting.push(use);
      else use(connection);
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await connection?.drain().catch(() => connection?.close());
    },
  };
}
