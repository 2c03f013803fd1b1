import { type Batch, createBatch } from "@tollgate/core/batch";
import { GatewayError } from "@tollgate/core/errors";
import { repeat } from "@tollgate/core/repeat";
import { createSignal } from "@tollgate/core/signal";
import pg from "pg";

/** How often the wallets that were found locked are looked at again, in one statement. */
const pollIntervalMs = 100;
/** Less than the 5 seconds that callers wait, so that they get a response. */
const defaultMaxWaitMs = 4_000;
/** A wallet's statements wait for each other in Postgres: more of them would only take connections. */
const maxPerWallet = 2;
/** For the client: most transactions that lock a wallet end soon. */
const retryAfterSeconds = 1;
/** Attempts of a batch, each without the wallets that were locked in the one before. */
const maxAttempts = 3;

/**
 * The wallets whose rows another transaction has locked for longer than a statement of the ledger
 * waits (`lock_timeout` in sql/). Their requests wait in this process, without a connection, and
 * delay no other wallet's.
 */
export interface WalletLocks {
  /**
   * Runs a statement that locks one wallet, at most two at a time for each wallet. While the wallet
   * is locked, waits `maxWaitMs` at most; then throws `no_provider_available` (503) with
   * a `Retry-After`.
   */
  run<Result>(
    accountId: string,
    statement: () => Promise<Result>,
    maxWaitMs?: number,
  ): Promise<Result>;
  /** Returns whether any wallet is known to be locked. */
  isAny(): boolean;
  has(accountId: string): boolean;
  /** Looks up which of the wallets are locked now. */
  look(accountIds: readonly string[]): Promise<void>;
  /** Treats the wallets as locked until the next look at them. */
  add(accountIds: Iterable<string>): void;
  /** Resolves when the wallet is not locked. Throws like `run`. */
  free(accountId: string, untilMs: number): Promise<void>;
}

/** Returns whether a statement failed because it waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "55P03";
}

export function createWalletLocks(pool: pg.Pool): WalletLocks {
  const locked = new Set<string>();
  const active = createCounts();
  const changed = createSignal();

  function add(accountIds: Iterable<string>): void {
    for (const accountId of accountIds) locked.add(accountId);
    if (locked.size > 0) polling.resume();
  }

  async function look(accountIds: readonly string[]): Promise<void> {
    add(await findLocked(pool, accountIds));
  }

  async function poll(): Promise<void> {
    const known = [...locked];
    // While the database cannot be reached, requests try it themselves.
    const still = new Set(await findLocked(pool, known).catch(() => []));
    for (const accountId of known) if (!still.has(accountId)) locked.delete(accountId);
    changed.notify();
  }

  const polling = repeat(poll, { everyMs: pollIntervalMs, isIdle: () => locked.size === 0 });

  async function wait(untilMs: number): Promise<void> {
    const leftMs = untilMs - performance.now();
    if (leftMs <= 0) throw walletLocked();
    await changed.wait(leftMs);
  }

  async function free(accountId: string, untilMs: number): Promise<void> {
    while (locked.has(accountId)) await wait(untilMs);
  }

  async function enter(accountId: string, untilMs: number): Promise<void> {
    while (locked.has(accountId) || active.of(accountId) >= maxPerWallet) await wait(untilMs);
    active.add(accountId, 1);
  }

  return {
    async run(accountId, statement, maxWaitMs = defaultMaxWaitMs) {
      const untilMs = performance.now() + maxWaitMs;
      for (;;) {
        await enter(accountId, untilMs);
        try {
          return await statement();
        } catch (error) {
          if (!isLockTimeout(error)) throw error;
          add([accountId]);
        } finally {
          active.add(accountId, -1);
          changed.notify();
        }
      }
    },
    isAny: () => locked.size > 0,
    has: (accountId) => locked.has(accountId),
    look,
    add,
    free,
  };
}

/** Creates counts by account, of which those of zero take no memory. */
function createCounts() {
  const counts = new Map<string, number>();
  return {
    of: (accountId: string): number => counts.get(accountId) ?? 0,
    add(accountId: string, more: number): void {
      const count = (counts.get(accountId) ?? 0) + more;
      if (count === 0) counts.delete(accountId);
      else counts.set(accountId, count);
    },
  };
}

/** The result of an item that did not run, because its wallet is locked. */
const skipped = Symbol("skipped");

/**
 * Creates a batch whose statement locks the wallets of its items. When it waits too long for one of
 * them, the items of the locked wallets are left out, and run in a later batch.
 */
export function createWalletBatch<Item, Result>(options: {
  locks: WalletLocks;
  accountOf(item: Item): string;
  run(items: readonly Item[]): Promise<readonly Result[]>;
  limit: number;
  gather?: { items: number; ms: number };
  isolates(error: unknown): boolean;
  /** How long an item waits while its wallet is locked. Default 4 seconds. */
  maxWaitMs?: number;
}): Batch<Item, Result> {
  const { locks, accountOf, run, maxWaitMs = defaultMaxWaitMs, ...batchOptions } = options;

  async function runUnlocked(items: readonly Item[]): Promise<(Result | typeof skipped)[]> {
    const results = new Map<Item, Result>();
    const isUnlocked = (item: Item) => !locks.has(accountOf(item));
    let rest = items.filter(isUnlocked);
    for (let attempt = 1; rest.length > 0; attempt += 1) {
      try {
        const done = await run(rest);
        rest.forEach((item, index) => {
          results.set(item, done[index] as Result);
        });
        break;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
      const accountIds = [...new Set(rest.map(accountOf))];
      if (attempt === maxAttempts) locks.add(accountIds);
      else await locks.look(accountIds);
      rest = rest.filter(isUnlocked);
    }
    return items.map((item) => (results.has(item) ? (results.get(item) as Result) : skipped));
  }

  async function runMost(items: readonly Item[]): Promise<readonly (Result | typeof skipped)[]> {
    if (locks.isAny()) return runUnlocked(items);
    try {
      return await run(items);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await locks.look([...new Set(items.map(accountOf))]);
      return runUnlocked(items);
    }
  }

  const batch = createBatch<Item, Result | typeof skipped>({ ...batchOptions, run: runMost });

  async function submitAgain(item: Item): Promise<Result> {
    const untilMs = performance.now() + maxWaitMs;
    for (;;) {
      await locks.free(accountOf(item), untilMs);
      const result = await batch(item);
      if (result !== skipped) return result;
    }
  }

  async function submit(item: Item): Promise<Result> {
    if (locks.has(accountOf(item))) return submitAgain(item);
    const result = await batch(item);
    return result === skipped ? submitAgain(item) : result;
  }

  return Object.assign(submit, { flush: batch.flush });
}

/** Resolves with those wallets that a transaction has locked. Waits for no lock. */
async function findLocked(pool: pg.Pool, accountIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ account_id: string }>({
    name: "find-locked-wallets",
    text: `WITH free AS MATERIALIZED (
        SELECT account_id FROM wallet WHERE account_id = ANY ($1) FOR UPDATE SKIP LOCKED)
      SELECT account_id FROM wallet
      WHERE account_id = ANY ($1) AND account_id NOT IN (SELECT account_id FROM free)`,
    values: [accountIds],
  });
  return rows.map((row) => row.account_id);
}

function walletLocked(): GatewayError {
  const message = "The account's wallet is locked by another operation now. Retry in a moment.";
  return new GatewayError("no_provider_available", message, { retryAfterSeconds });
}
