import { GatewayError } from "@tollgate/core/errors";
import { type RenewedLease, renewLeases } from "@tollgate/core/lease-renewal";
import type { Log } from "@tollgate/core/log";
import { Pauses } from "@tollgate/core/pauses";
import type pg from "pg";
import { type ConversationKey, linkOf } from "./conversation-key.ts";
import { createSessionQueues } from "./session-queue.ts";

/** How long a lock is valid after its last renewal. */
const defaultLeaseMs = 12_000;
/**
 * The pauses between attempts to take a lock that is held. They are short because, of a replica's
 * requests that wait for the same conversation, only the first one polls.
 */
const firstPauseMs = 15;
const maxPauseMs = 60;
const retryAfterSeconds = 1;

export type SessionLock = RenewedLease<{ key: ConversationKey; holder: string }>;

export interface LockTimes {
  /** The longest that a request waits for a conversation. */
  waitMs: number;
  /** How long a lock is valid after its last renewal. */
  leaseMs?: number;
}

/** Locks that let one request at a time work on a conversation, across all replicas. */
export interface SessionLocks {
  /**
   * Takes the lock for a request. Waits while another request holds it, without occupying a
   * database connection. Throws `rate_limited` when `waitMs` has passed, and the signal's reason
   * when it aborts.
   */
  take(key: ConversationKey, holder: string, signal: AbortSignal): Promise<SessionLock>;
  /** Releases the lock. Never throws: a lock that cannot be released expires with its lease. */
  release(lock: SessionLock): Promise<void>;
  stop(): void;
}

export function createSessionLocks(
  pool: pg.Pool,
  log: Log,
  { waitMs, leaseMs = defaultLeaseMs }: LockTimes,
): SessionLocks {
  const queues = createSessionQueues();
  const leases = renewLeases<SessionLock["held"]>(renew, {
    checkEveryMs: leaseMs / 12,
    onFailure(locks, { message: reason }) {
      log.warn({ locks, reason }, "session locks not renewed");
    },
  });

  async function renew(locks: readonly SessionLock["held"][]): Promise<void> {
    const values = [
      locks.map(({ key }) => key.keyId),
      locks.map(({ key }) => key.id),
      locks.map(({ holder }) => holder),
      leaseMs,
    ];
    await pool.query({ name: "renew-locks", text: renewSql, values });
  }

  async function tryTake({ keyId, id }: ConversationKey, holder: string): Promise<boolean> {
    const values = [keyId, id, holder, leaseMs];
    const { rowCount } = await pool.query({ name: "take-lock", text: takeSql, values });
    return rowCount === 1;
  }

  return {
    async take(key, holder, signal) {
      const deadline = performance.now() + waitMs;
      const leave = await queues.enter(linkOf(key), waitMs, signal);
      if (leave === undefined) throw busy();
      try {
        const pauses = new Pauses({
          firstMs: firstPauseMs,
          maxMs: maxPauseMs,
          forMs: deadline - performance.now(),
          signal,
        });
        while (!(await tryTake(key, holder))) if (!(await pauses.next())) throw busy();
      } finally {
        leave();
      }
      return leases.begin({ key, holder }, leaseMs);
    },
    async release(lock) {
      leases.end(lock);
      const { key, holder } = lock.held;
      try {
        await pool.query({
          name: "release-lock",
          text: releaseSql,
          values: [key.keyId, key.id, holder],
        });
      } catch (error) {
        log.warn({ reason: (error as Error).message }, "session lock not released");
      }
    },
    stop: leases.stop,
  };
}

function busy(): GatewayError {
  const message = "Another request is working on this conversation. Retry when it has ended.";
  return new GatewayError("rate_limited", message, { param: "session_id", retryAfterSeconds });
}

const takeSql = `
  INSERT INTO session_lock AS lock (key_id, conversation_id, holder, lease_until)
  VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond')
  ON CONFLICT (key_id, conversation_id) DO UPDATE SET
    holder = excluded.holder, lease_until = excluded.lease_until
  WHERE lock.lease_until <= now()`;

const renewSql = `
  UPDATE session_lock AS lock SET lease_until = now() + $4 * interval '1 millisecond'
  FROM unnest($1::text[], $2::text[], $3::text[]) AS live (key_id, id, holder)
  WHERE lock.key_id = live.key_id AND lock.conversation_id = live.id
    AND lock.holder = live.holder`;

const releaseSql =
  "DELETE FROM session_lock WHERE key_id = $1 AND conversation_id = $2 AND holder = $3";
