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

/** `up` and `down`: the client reconnects by itself. */
type State =
  | { kind: "connecting"; waiting: ((connection: NatsConnection) => void)[] }
  | { kind: "up" | "down"; connection: NatsConnection }
  | { kind: "closed" };

/**
 * Connects in the background, and retries without limit. Throws a StartError where `url`, the value of
 * `NATS_URL`, is not an address with credentials.
 */
export function openBroker(url: string, name: string, log: Log): Broker {
  const address = natsAddress(url);
  let state: State = { kind: "connecting", waiting: [] };

  async function open(): Promise<void> {
    try {
      const opened = await connect({
        ...address,
        name,
        maxReconnectAttempts: -1,
        // By default the client captures two stack traces for each message, in case it fails.
        noAsyncTraces: true,
      });
      if (state.kind !== "connecting") return await opened.close();
      const { waiting } = state;
      state = { kind: "up", connection: opened };
      void followStatus(opened);
      for (const use of waiting) use(opened);
    } catch (error) {
      if (state.kind === "closed") return;
      log.warn({ reason: (error as Error).message }, "cannot connect to the broker");
    }
  }

  const attempts = repeat(open, { everyMs: retryMs, isIdle: () => state.kind !== "connecting" });

  async function followStatus(opened: NatsConnection): Promise<void> {
    for await (const { type } of opened.status()) {
      if (state.kind === "closed") return;
      if (type === "disconnect") {
        state = { kind: "down", connection: opened };
        log.warn({}, "disconnected from the broker");
      } else if (type === "reconnect") {
        state = { kind: "up", connection: opened };
        log.info({}, "reconnected to the broker");
      }
    }
  }

  attempts.wake();
  return {
    connection: () => (state.kind === "up" ? state.connection : undefined),
    whenConnected(use) {
      if (state.kind === "connecting") state.waiting.push(use);
      else if (state.kind !== "closed") use(state.connection);
    },
    async close() {
      const before = state;
      state = { kind: "closed" };
      void attempts.stop();
      if (before.kind === "connecting" || before.kind === "closed") return;
      const { connection } = before;
      const drained = connection.drain().catch(() => {});
      await Promise.race([drained, sleep(drainTimeoutMs, undefined, { ref: false })]);
      await connection.close();
    },
  };
}
