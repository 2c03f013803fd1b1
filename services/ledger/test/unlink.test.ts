import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { unlinkConversations } from "../src/conversations.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";

describe("entries of deleted conversations", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  const never = new AbortController().signal;

  async function countLinked(conversationId: string): Promise<number> {
    const { rows } = await pool.query(
      "SELECT count(*)::int AS count FROM entry WHERE conversation_id = $1",
      [conversationId],
    );
    return rows[0].count;
  }

  async function converse(conversationId: string, turns: number): Promise<string> {
    const accountId = await openWallet(pool, 10n ** 12n);
    const capture = createCapture(pool);
    const events = Array.from({ length: turns }, () =>
      usageEvent({ accountId, conversationId, costNanoUsd: 1_000n }),
    );
    await Promise.all(events.map(capture));
    return accountId;
  }

  test("lose their link, however many there are, and so do later ones", async () => {
    const conversationId = "key_1/long";
    const accountId = await converse(conversationId, 2_500);
    expect(await countLinked(conversationId)).toBe(2_500);
    const conversationIds = [conversationId, "key_1/other"];
    await unlinkConversations(pool, createWalletLocks(pool), { accountId, conversationIds }, never);
    expect(await countLinked(conversationId)).toBe(0);
    await createCapture(pool)(usageEvent({ accountId, conversationId, costNanoUsd: 1_000n }));
    expect(await countLinked(conversationId)).toBe(0);
    await unlinkConversations(pool, createWalletLocks(pool), { accountId, conversationIds }, never);
  });

  test("block no holds while their links are cleared", async () => {
    const conversationId = "key_1/slow";
    const accountId = await converse(conversationId, 10);
    const holder = await pool.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT FROM entry WHERE conversation_id = $1 FOR UPDATE", [conversationId]);
    const unlinking = unlinkConversations(
      pool,
      createWalletLocks(pool),
      { accountId, conversationIds: [conversationId] },
      never,
    );
    const seen =
      "SELECT count(*)::int AS count FROM deleted_conversation WHERE conversation_id = $1";
    await expect
      .poll(async () => (await pool.query(seen, [conversationId])).rows[0].count, {
        timeout: 4_000,
      })
      .toBe(1);
    const take = createHoldTaker(pool, 60_000);
    expect(await take({ holdId: "req_1", accountId, estimateNanoUsd: 1_000n })).toMatchObject({
      heldNanoUsd: 1_000n,
    });
    await holder.query("COMMIT");
    holder.release();
    await unlinking;
    expect(await countLinked(conversationId)).toBe(0);
  });

  test("have no links left when either of two concurrent calls ends", async () => {
    const conversationId = "key_1/twice";
    const accountId = await converse(conversationId, 2_500);
    const request = { accountId, conversationIds: [conversationId] };
    const first = unlinkConversations(pool, createWalletLocks(pool), request, never);
    const second = unlinkConversations(pool, createWalletLocks(pool), request, never);
    await Promise.race([first, second]);
    expect(await countLinked(conversationId)).toBe(0);
    await Promise.all([first, second]);
  });

  test("keep the rest of their links for the next call if the caller disconnects", async () => {
    const conversationId = "key_1/gone";
    const accountId = await converse(conversationId, 10);
    const request = { accountId, conversationIds: [conversationId] };
    const aborted = AbortSignal.abort(new Error("the caller disconnected"));
    await expect(
      unlinkConversations(pool, createWalletLocks(pool), request, aborted),
    ).rejects.toThrow("disconnected");
    await unlinkConversations(pool, createWalletLocks(pool), request, never);
    expect(await countLinked(conversationId)).toBe(0);
  });
});
