import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import type pg from "pg";

/** How soon the console shows a use. */
const storeIntervalMs = 2_000;

/** When the texts of keys were used last. */
export interface KeyUses {
  /** Notes that a request has the text with this SHA-256 now. */
  note(keyHash: Uint8Array): void;
  /** Resolves when all uses are stored. */
  stop(): Promise<void>;
}

/**
 * Stores when keys were used last, all of some seconds in one statement, behind the requests. A text that
 * is in constant use is written once a minute. A process that dies loses those of the last seconds.
 */
export function recordKeyUses(pool: pg.Pool, log: Log, now: () => Date): KeyUses {
  let uses = new Map<string, Date>();

  async function store(): Promise<void> {
    const stored = uses;
    uses = new Map();
    try {
      await storeUses(pool, stored);
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "storing the last uses of keys failed");
    }
  }

  const isIdle = () => uses.size === 0;
  const task = repeat(store, { everyMs: storeIntervalMs, isIdle });
  return {
    note(keyHash) {
      uses.set(Buffer.from(keyHash).toString("hex"), now());
      task.resume();
    },
    async stop() {
      await task.stop();
      if (!isIdle()) await store();
    },
  };
}

/** Rows that another replica updates now are skipped, so that no two wait for each other. */
async function storeUses(pool: pg.Pool, uses: ReadonlyMap<string, Date>): Promise<void> {
  await pool.query({
    name: "store-key-uses",
    text: `
      UPDATE key_secret SET last_used_at = used.at FROM (
        SELECT secret.key_hash, use.at
        FROM unnest($1::text[], $2::timestamptz[]) AS use (hash, at), LATERAL (
          SELECT key_hash FROM key_secret WHERE key_hash = decode(use.hash, 'hex')
            AND (last_used_at IS NULL OR last_used_at < use.at - interval '1 minute')
          LIMIT 1 FOR UPDATE SKIP LOCKED
        ) secret
      ) used
      WHERE key_secret.key_hash = used.key_hash`,
    values: [[...uses.keys()], [...uses.values()]],
  });
}
