import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { PrismaClient } from "../src/generated/client.ts";
import { createHoldTaker } from "../src/hold.ts";
import { verifyLedger } from "../src/verify.ts";
import { createLedgerDatabase, openLedger, openWallet, readWallet, usageEvent } from "./books.ts";

/**
 * The statements of replicas from before 0004_books_that_move_together, which moved wallets
 * themselves.
 */
const earlier = {
  takeHold: `
    WITH locked AS MATERIALIZED (
      SELECT account_id, held_nano_usd, balance_nano_usd - held_nano_usd AS available
      FROM wallet WHERE account_id = $2 FOR UPDATE
    ), granted AS (
      SELECT account_id, least($3::bigint, available) AS amount FROM locked
    ), moved AS (
      UPDATE wallet w SET held_nano_usd = w.held_nano_usd + g.amount
      FROM granted g WHERE w.account_id = g.account_id AND g.amount > 0
    ), written AS (
      INSERT INTO hold (id, account_id, amount_nano_usd, expires_at)
      SELECT $1, account_id, amount, now() + interval '1 minute' FROM granted WHERE amount > 0
    )
    SELECT amount FROM granted`,
  releaseHold: `
    WITH gone AS (
      DELETE FROM hold WHERE account_id = $1 AND id = $2 RETURNING account_id, amount_nano_usd
    ), moved AS (
      UPDATE wallet w SET held_nano_usd = w.held_nano_usd - g.amount
      FROM (SELECT account_id, sum(amount_nano_usd)::bigint AS amount FROM gone GROUP BY 1) g
      WHERE w.account_id = g.account_id
    )
    SELECT count(*) FROM gone`,
  topUpEntry: `
    INSERT INTO entry (
      id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
      request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
      prompt_tokens, completion_tokens, cached_prompt_tokens, reference, occurred_at)
    VALUES ($1, $2, $3, '', 'top_up', $4, 0, 0, '', '', '', '', '', '', 0, '', 0, 0, 0, 'r', now())`,
  /** Of replicas from before 0005_captures_in_sets. */
  capture: "SELECT capture_events($1::jsonb)",
  /** Of replicas from before 0007_shared_holds. */
  captureLine: "SELECT capture_usage($1::usage_line[])",
  topUpWallet: "UPDATE wallet SET balance_nano_usd = balance_nano_usd + $2 WHERE account_id = $1",
};

/** A usage event of 3,000 nano-USD as `capture_events` takes it. */
function earlierEvent(accountId: string, holdId: string) {
  const texts = { key_id: "", route_type: "chat", alias: "", provider: "", upstream_model: "" };
  const counts = { quantity: "1", corpus_size: "0", prompt_tokens: "1", completion_tokens: "0" };
  return {
    id: `entry_${holdId}`,
    event_id: holdId,
    account_id: accountId,
    hold_id: holdId,
    request_id: holdId,
    kind: "usage",
    cost: "3000",
    charge_limit: "3000",
    charge_id: null,
    conversation_id: null,
    unit_type: "tokens",
    basis: "provider",
    cached_prompt_tokens: "0",
    occurred_at: new Date(0).toISOString(),
    ...texts,
    ...counts,
  };
}

describe("replicas of two versions", () => {
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
  });

  afterAll(() => pool.end());

  test("keep the same books", async () => {
    const accountId = await openWallet(pool, 1_000_000n);
    const take = createHoldTaker(pool, 60_000);
    const capture = createCapture(pool);
    const eventOf = (holdId: string) => JSON.stringify([earlierEvent(accountId, holdId)]);
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const holdId = `${accountId}-${index}`;
        if (index % 2 === 0) {
          await pool.query(earlier.takeHold, [holdId, accountId, 5_000n]);
        } else {
          await take({ holdId, accountId, estimate: 5_000n });
        }
        if (index % 4 === 0) await pool.query(earlier.releaseHold, [accountId, holdId]);
        else if (index % 4 === 1) await pool.query(earlier.capture, [eventOf(holdId)]);
        else await capture(usageEvent({ accountId, holdId, costNanoUsd: 3_000n }));
      }),
    );
    await pool.query(earlier.topUpEntry, ["le_old", `top_up:${accountId}:r`, accountId, 7_000n]);
    await pool.query(earlier.topUpWallet, [accountId, 7_000n]);
    expect(await readWallet(pool, accountId)).toEqual({
      balance: 1_000_000n - 30n * 3_000n + 7_000n,
      held: 0n,
      entries: 1_000_000n - 30n * 3_000n + 7_000n,
    });
    expect((await verifyLedger(prisma)).discrepancies).toEqual([]);
  });

  test("charge an event once that both of them have", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const capture = createCapture(pool);
    const one = usageEvent({ accountId, costNanoUsd: 3_000n });
    const other = usageEvent({ accountId, costNanoUsd: 3_000n });
    const earlierOf = ({ id }: typeof one) => [JSON.stringify([earlierEvent(accountId, id)])];
    await capture(one);
    await pool.query(earlier.capture, earlierOf(one));
    await pool.query(earlier.capture, earlierOf(other));
    await capture(other);
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 94_000n, entries: 94_000n });
  });

  test("settle the same holds by rows of either shape", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const take = createHoldTaker(pool, 60_000);
    const [holdId, other] = [`${accountId}-1`, `${accountId}-2`];
    await take({ holdId, accountId, estimate: 5_000n });
    await take({ holdId: other, accountId, estimate: 6_000n });
    const line =
      `(entry_${holdId},${holdId},${accountId},"",${holdId},usage,3000,3000,,${holdId},chat,a,p,m,` +
      "tokens,7,provider,1,2,3,4,,2026-01-01T00:00:00Z)";
    await pool.query(earlier.captureLine, [[line]]);
    await createCapture(pool)(usageEvent({ accountId, holdId: other, costNanoUsd: 4_000n }));
    expect(await readWallet(pool, accountId)).toEqual({
      balance: 93_000n,
      held: 0n,
      entries: 93_000n,
    });
    const { rows } = await pool.query(
      "SELECT route_type, quantity, corpus_size, cached_prompt_tokens FROM entry WHERE event_id = $1",
      [holdId],
    );
    expect(rows).toEqual([
      { route_type: "chat", quantity: 7n, corpus_size: 1n, cached_prompt_tokens: 4n },
    ]);
  });

  test("an earlier one moves no wallet by its update alone", async () => {
    const accountId = await openWallet(pool, 5_000n);
    await pool.query(earlier.topUpWallet, [accountId, 1_000_000n]);
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 5_000n });
  });
});
