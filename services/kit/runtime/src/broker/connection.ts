import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import { connect, type NatsConnection } from "nats";
import { natsAddress } from "./nats-address.ts";

const retryMs = 1_000;
/** How long closing waits for the broker to take what is buffered. A broker may hang. */
const drainTimeoutMs = 2_000;

/** A connection to NATS. Services start and work while the broker is unavailable. */
export interface Broker {
  /** Returns the connection, or undefined while the broker is unavailable. */
  connection(): NatsConnection | undefined;
  /**
   * Calls `use` once, now or when the first connection is made. The client reconnects by itself, so
   * that subscriptions last.
   */
  whenConnected(use: (connection: NatsConnection) => void): void;
  /** Sends what is buffered, for at most two seconds, then closes the connection. */
  close(): Promise<void>;
}

/**
 * Connects in the background, and retries without limit. Throws a StartError where `url`, the value of
 * `NATS_URL`, is not an address with credentials.
 */
export function openBroker(url: string, name: string, log: Log): Broker {
  const address = natsAddress(url);
  let connection: NatsConnection | undefined;
  let isConnected = false;
  let isClosed = false;
  let waiting: ((connection: NatsConnection) => void)[] = [];

  async function open(): Promise<void> {
    try {
      const opened = await connect({
        ...address,
        name,
        maxReconnectAttempts: -1,
        // By default the client captures two stack traces for each message, in case it fails.
        noAsyncTraces: true,
      });
      if (isClosed) return await opened.close();
      connection = opened;
      isConnected = true;
      void followStatus(opened);
      for (const use of waiting) use(opened);
      waiting = [];
    } catch (error) {
      if (!isClosed) log.warn({ reason: (error as Error).message }, "cannot connect to the broker");
    }
  }

  const attempts = repeat(open, { everyMs: retryMs, isIdle: () => connection !== undefined });

  async function followStatus(opened: NatsConnection): Promise<void> {
    for await (const { type } of opened.status()) {
      if (type === "disconnect") {
        isConnected = false;
        log.warn({}, "disconnected from the broker");
      } else if (type === "reconnect") {
        isConnected = true;
        log.info({}, "reconnected to the broker");
      }
    }
  }

  attempts.wake();
  return {
    connection: () => (isConnected ? connection : undefined),
    whenConnected(use) {
      if (connection === undefined) waiting.push(use);
      else use(connection);
    },
    async close() {
      isClosed = true;
      void attempts.stop();
      if (connection === undefined) return;
      const drained = connection.drain().catch(() => {});
      await Promise.race([drained, sleep(drainTimeoutMs, undefined, { ref: false })]);
      await connection.close();
    },
  };
}
