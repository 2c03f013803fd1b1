import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  createLedgerDatabase,
  openLedger,
  openWallet,
  readWallet,
  usageEvent,
} from "./ledger-database.ts";
import { type RunningLedger, runLedger } from "./running-ledger.ts";

const openingNanoUsd = 1_000_000n;
/** Without the rule, a statement waits for the lock until the statement timeout of 15 seconds. */
const usualMs = 2_000;
const concurrency = 40;

describe("a wallet whose row another transaction has locked", () => {
  let pool: pg.Pool;
  let ledger: RunningLedger;
  let databaseUrl: string;

  beforeAll(async () => {
    databaseUrl = await createLedgerDatabase(inject("postgresUrl"));
    pool = await openLedger(databaseUrl);
    ledger = await runLedger(databaseUrl);
  });

  afterAll(async () => {
    const { discrepancies } = await ledger.client.verify({});
    expect(discrepancies).toEqual([]);
    await ledger.stop();
    await pool.end();
  });

  /** Locks a wallet's row, as an operator's open transaction does. Returns its release. */
  async function lock(accountId: string): Promise<() => Promise<void>> {
    const operator = new pg.Client({ connectionString: databaseUrl });
    await operator.connect();
    await operator.query("BEGIN");
    const sql = "SELECT FROM ledger.wallet WHERE account_id = $1 FOR UPDATE";
    await operator.query(sql, [accountId]);
    return async () => {
      await operator.query("ROLLBACK");
      await operator.end();
    };
  }

  const newHold = (accountId: string, estimateNanoUsd = 1_000n) => ({
    holdId: `hold_${randomUUID()}`,
    accountId,
    estimateNanoUsd,
  });

  /** Takes a hold and captures it, as one request does. */
  async function request(accountId: string): Promise<void> {
    const { client } = ledger;
    const hold = newHold(accountId);
    const { heldNanoUsd } = await client.hold(hold);
    expect(heldNanoUsd).toBe(1_000n);
    const event = usageEvent({ accountId, holdId: hold.holdId, costNanoUsd: 400n });
    await client.recordUsage({ events: [event] });
  }

  test("delays its own requests only, which complete when it is unlocked", async () => {
    const locked = await openWallet(pool, openingNanoUsd);
    const other = await openWallet(pool, openingNanoUsd);
    const { client } = ledger;
    const unlock = await lock(locked);
    let waiting = concurrency;
    const own = Promise.all(
      Array.from({ length: concurrency }, async () => {
        await request(locked);
        waiting -= 1;
      }),
    );
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: concurrency }, () => request(other)));
    const grown = newHold(other);
    const shared = { holdId: newHold(other).holdId, accountId: other, amountNanoUsd: 100n };
    await client.growHold(grown);
    expect(await client.takeSharedHold(shared)).toMatchObject({ granted: true });
    await client.extendHolds({ holdIds: [grown.holdId, shared.holdId] });
    await client.releaseSharedHold(shared);
    await client.releaseHold({ holdId: grown.holdId });
    const { wallet } = await client.getWallet({ accountId: other });
    expect(performance.now() - startedAt).toBeLessThan(usualMs);
    const spent = BigInt(concurrency) * 400n;
    expect(wallet).toMatchObject({ balanceNanoUsd: openingNanoUsd - spent, heldNanoUsd: 0n });
    expect(waiting).toBe(concurrency);
    await unlock();
    await own;
    expect(await readWallet(pool, locked)).toEqual({
      balance: openingNanoUsd - spent,
      held: 0n,
      entries: openingNanoUsd - spent,
    });
  });

  test("takes no more than two connections, whatever its requests do", async () => {
    const locked = await openWallet(pool, openingNanoUsd);
    const other = await openWallet(pool, openingNanoUsd);
    const { client } = ledger;
    const { holdId } = newHold(locked);
    await client.hold({ ...newHold(locked), holdId });
    const unlock = await lock(locked);
    const calls = Promise.all(
      Array.from({ length: concurrency }, (_, index) => [
        client.growHold(newHold(locked, 10n)),
        client.takeSharedHold({ ...newHold(locked), amountNanoUsd: 1n }),
        client.topUp({ accountId: locked, amountNanoUsd: 1_000n, reference: String(index) }),
      ]).flat(),
    );
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: concurrency }, () => request(other)));
    expect(performance.now() - startedAt).toBeLessThan(usualMs);
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows[0]?.count).toBeLessThanOrEqual(2);
    await unlock();
    await calls;
  });

  test("is refused with an error to retry when it stays locked, and extends others' holds", async () => {
    const locked = await openWallet(pool, openingNanoUsd);
    const other = await openWallet(pool, openingNanoUsd);
    const { client } = ledger;
    const holds = [newHold(locked), newHold(other)];
    for (const hold of holds) await client.hold(hold);
    const expiries = async () => {
      const sql = "SELECT id, expires_at FROM hold WHERE id = ANY ($1)";
      const { rows } = await pool.query<{ id: string; expires_at: Date }>(sql, [
        holds.map(({ holdId }) => holdId),
      ]);
      const byId = new Map(rows.map((row) => [row.id, row.expires_at.getTime()]));
      return holds.map(({ holdId }) => byId.get(holdId) ?? 0);
    };
    const before = await expiries();
    const unlock = await lock(locked);
    const [refusal, extension] = await Promise.allSettled([
      client.hold(newHold(locked)),
      client.extendHolds({ holdIds: holds.map(({ holdId }) => holdId) }),
    ]);
    const reason = { code: "no_provider_available", status: 503, retryAfterSeconds: 1 };
    expect(refusal).toMatchObject({ reason });
    expect(extension.status).toBe("rejected");
    const after = await expiries();
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBeGreaterThan(before[1] ?? 0);
    await unlock();
    await client.hold(newHold(locked));
    for (const { holdId } of holds) await client.releaseHold({ holdId });
  });
});
