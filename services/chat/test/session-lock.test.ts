import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { ConversationKey } from "../src/conversations/conversation-key.ts";
import { createSessionLocks, type SessionLocks } from "../src/conversations/session-lock.ts";
import { createConversationStore } from "../src/conversations/store.ts";
import { newKey, newTurn, openChatDatabase, silent } from "./chat-database.ts";

const leaseMs = 2_500;
const waitMs = 20_000;

describe("session locks across two replicas", () => {
  let pool: pg.Pool;
  let here: SessionLocks;
  let there: SessionLocks;
  const { signal } = new AbortController();

  beforeAll(async () => {
    pool = await openChatDatabase(inject("postgresUrl"));
    here = createSessionLocks(pool, silent, { waitMs, leaseMs });
    there = createSessionLocks(pool, silent, { waitMs, leaseMs });
  });

  afterAll(async () => {
    here.stop();
    there.stop();
    await pool.end();
  });

  async function lockOf(key: ConversationKey) {
    const { rows } = await pool.query<{ holder: string; ends: Date; now: Date; isHeld: boolean }>(
      `SELECT holder, lease_until AS ends, now() AS now, lease_until > now() AS "isHeld"
       FROM session_lock WHERE key_id = $1 AND conversation_id = $2`,
      [key.keyId, key.id],
    );
    if (rows[0] === undefined) throw new Error("nobody holds the lock");
    return rows[0];
  }

  test("a lock is renewed while it is held", async () => {
    const key = newKey();
    const first = await here.take(key, "first", signal);
    const { ends } = await lockOf(key);
    const second = there.take(key, "second", signal);
    const state = async () => {
      const { holder, isHeld, now } = await lockOf(key);
      return { holder, isHeld, isPastFirstLease: now > ends };
    };
    await expect
      .poll(state, { timeout: waitMs })
      .toEqual({ holder: "first", isHeld: true, isPastFirstLease: true });
    await here.release(first);
    const taken = await second;
    expect(await lockOf(key)).toMatchObject({ holder: "second" });
    await there.release(taken);
  });

  test("a holder that stops renewing loses its lock and can store no more turns", async () => {
    const key = newKey();
    const store = createConversationStore(pool);
    const dying = createSessionLocks(pool, silent, { waitMs, leaseMs });
    await dying.take(key, "dead", signal);
    dying.stop();
    expect(await store.append(key, "dead", newTurn())).toBe(true);
    const next = await here.take(key, "next", signal);
    expect(await store.append(key, "dead", newTurn())).toBe(false);
    expect(await store.append(key, "next", newTurn())).toBe(true);
    await here.release(next);
    expect(await store.append(key, "next", newTurn())).toBe(false);
    expect((await store.load(key))?.turnCount).toBe(2);
  });

  test("waiting requests get the lock in order, each soon after the one before", async () => {
    const key = newKey();
    const order: number[] = [];
    const turns = Array.from({ length: 30 }, async (_, index) => {
      const lock = await here.take(key, `turn ${index}`, signal);
      order.push(index);
      await here.release(lock);
    });
    const startedAt = performance.now();
    await Promise.all(turns);
    expect(order).toEqual(order.map((_, index) => index));
    // If each waited for the lease of the one before to expire, this would take a minute.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  test("a request that waits too long is refused, and an aborted one frees its place in the queue", async () => {
    const impatient = createSessionLocks(pool, silent, { waitMs: 300, leaseMs });
    const key = newKey();
    const first = await here.take(key, "first", signal);
    const refusals = ["second", "third"].map((name) => impatient.take(key, name, signal));
    for (const refusal of await Promise.allSettled(refusals)) {
      expect(refusal).toMatchObject({ reason: { code: "rate_limited", param: "session_id" } });
    }
    const aborted = new AbortController();
    const abortedRequests = ["fourth", "fifth"].map((name) => here.take(key, name, aborted.signal));
    const last = here.take(key, "last", signal);
    aborted.abort();
    const left = await Promise.allSettled(abortedRequests);
    expect(left.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await here.release(first);
    await here.release(await last);
    impatient.stop();
  });
});
