import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { sumStatement } from "../src/statement-sums.ts";
import { createLedgerDatabase, openLedger, openWallet } from "./ledger-database.ts";

describe("the sums of a statement", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  /** Adds a request of each of many keys to the sums, as captures do. The n-th key pays n nano-USD. */
  async function addUsage(accountId: string, { alias, keys }: { alias: string; keys: number }) {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      await client.query("SET LOCAL session_replication_role = replica");
      await client.query(
        `INSERT INTO usage_day
         SELECT $1, '2026-02-03', 'key_' || n, $2, 'near', 'chat', 'tokens', '',
           1, 0, 1, 1, 0, 1, n, n, 0, 0, 0
         FROM generate_series(1, $3) n`,
        [accountId, alias, keys],
      );
      await client.query("COMMIT");
    } finally {
      client.release();
    }
  }

  test("list the 1,000 most expensive pairs of model and key, and sum the rest by model", async () => {
    const accountId = await openWallet(pool, 1_000n);
    const [large, small] = [`large-${randomUUID()}`, `small-${randomUUID()}`];
    await addUsage(accountId, { alias: large, keys: 1_003 });
    await addUsage(accountId, { alias: small, keys: 2 });
    const period = { from: new Date("2026-02-01"), to: new Date("2026-03-01") };
    const { sums } = await sumStatement(pool, { accountId, ...period });
    const charges = sums?.charges ?? [];
    expect(charges).toHaveLength(1_002);
    const first = { alias: large, keyId: "key_1003", requests: 1n, chargedNanoUsd: 1_003n };
    expect(charges[0]).toEqual(first);
    expect(charges[999]).toMatchObject({ alias: large, keyId: "key_4" });
    const rest = { keyId: "", chargedNanoUsd: 6n, requests: 3n };
    expect(charges.slice(1_000)).toEqual([
      { ...rest, alias: large },
      { ...rest, alias: small, requests: 2n, chargedNanoUsd: 3n },
    ]);
    const sum = charges.reduce((all, { chargedNanoUsd }) => all + chargedNanoUsd, 0n);
    expect(sums?.chargesNanoUsd).toBe(sum);
    expect(sum).toBe((1_003n * 1_004n) / 2n + 3n);
  });
});
