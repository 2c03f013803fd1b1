import { randomUUID } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  EndSlotUseRequestSchema,
  ExtendSlotUsesRequestSchema,
  TakeSlotUseRequestSchema,
} from "@tollgate/proto/tollgate/v1/slot";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createSlotUses, forgetSlotUses } from "../src/slot-uses.ts";
import { createLedgerDatabase, openLedger } from "./ledger-database.ts";

type Fields = Omit<MessageInitShape<typeof TakeSlotUseRequestSchema>, "$typeName" | "$unknown">;

describe("the limits of a slot, over two replicas", () => {
  let pools: pg.Pool[];
  let replicas: ReturnType<typeof createSlotUses>[];

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    pools = [await openLedger(url), await openLedger(url)];
    replicas = pools.map((pool) => createSlotUses(pool));
  });

  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
  });

  const newSlot = () => `provider/${randomUUID()}`;

  /** Calls a slot by either replica. Resolves with the id of a call that is counted, else the wait. */
  async function take(fields: Fields, replica = 0) {
    const useId = randomUUID();
    const request = create(TakeSlotUseRequestSchema, { accountId: "a", ...fields, useId });
    const { waitMs = 0 } = (await replicas[replica]?.takeSlotUse(request)) ?? {};
    return { useId, waitMs };
  }

  const end = (useId: string, tokens?: bigint) =>
    replicas[1]?.endSlotUse(
      create(EndSlotUseRequestSchema, { useId, ...(tokens === undefined ? {} : { tokens }) }),
    );

  async function race(count: number, fields: Fields) {
    const all = Array.from({ length: count }, (_, call) => take(fields, call % 2));
    return (await Promise.all(all)).filter(({ waitMs }) => waitMs === 0);
  }

  test.each([
    ["requests in progress", { parallel: 10n }],
    ["requests per minute", { requestsPerMinute: 10n }],
    ["tokens per minute", { tokensPerMinute: 1_049n, tokens: 100n }],
  ])("admit as many as one would: %s", async (_, limits) => {
    expect(await race(60, { slotId: newSlot(), ...limits })).toHaveLength(10);
  });

  test("of requests in progress admit one when another has ended, once", async () => {
    const slot = { slotId: newSlot(), parallel: 2n };
    const [first] = await race(2, slot);
    expect(await take(slot)).toMatchObject({ waitMs: 1_000 });
    await end(first?.useId ?? "");
    await end(first?.useId ?? "");
    expect(await race(5, slot)).toHaveLength(1);
  });

  test("of tokens count those that were used, once they are known", async () => {
    const slot = { slotId: newSlot(), tokensPerMinute: 1_000n };
    const { useId } = await take({ ...slot, tokens: 900n });
    const { waitMs } = await take({ ...slot, tokens: 101n });
    expect(waitMs).toBeGreaterThan(30_000);
    await end(useId, 300n);
    const more = await take({ ...slot, tokens: 600n });
    expect(more.waitMs).toBe(0);
    await end(more.useId, 700n);
    expect((await take({ ...slot, tokens: 1n })).waitMs).toBeGreaterThan(30_000);
  });

  test("of tokens admit a request with more than all of them where none are counted", async () => {
    const slot = { slotId: newSlot(), tokensPerMinute: 10n, tokens: 50n };
    expect(await race(3, slot)).toHaveLength(1);
  });

  test("do not count what is older than a minute", async () => {
    const slot = { slotId: newSlot(), requestsPerMinute: 2n, tokensPerMinute: 10n, tokens: 5n };
    expect(await race(3, slot)).toHaveLength(2);
    await pools[0]?.query(
      `UPDATE slot_load SET counted_at = (SELECT array_agg(at - interval '61 seconds') FROM unnest(counted_at) at)
       WHERE slot_id = $1`,
      [slot.slotId],
    );
    expect(await race(3, slot)).toHaveLength(2);
  });

  test("count no request whose process died, and one that is extended", async () => {
    const slot = { slotId: newSlot(), parallel: 2n };
    const [lost, kept] = (await race(2, slot)).map(({ useId }) => useId);
    await pools[0]?.query("UPDATE slot_use SET expires_at = now() WHERE id = ANY ($1)", [
      [lost, kept],
    ]);
    await replicas[1]?.extendSlotUses(
      create(ExtendSlotUsesRequestSchema, { useIds: [kept ?? ""] }),
    );
    await Promise.all(pools.map(forgetSlotUses));
    const text = "SELECT id FROM slot_use WHERE slot_id = $1";
    expect((await pools[0]?.query(text, [slot.slotId]))?.rows).toEqual([{ id: kept }]);
    expect(await race(3, slot)).toHaveLength(1);
  });

  describe("leave a part to the other accounts that call it", () => {
    test.each([
      ["requests in progress", { parallel: 8n }],
      ["requests per minute", { requestsPerMinute: 8n }],
      ["tokens per minute", { tokensPerMinute: 80n, tokens: 10n }],
    ])("of %s", async (_, limits) => {
      const slot = { slotId: newSlot(), ...limits };
      // The other account is seen by its first request.
      expect(await race(1, { ...slot, accountId: "b" })).toHaveLength(1);
      expect(await race(20, { ...slot, accountId: "a" })).toHaveLength(5);
      expect(await race(20, { ...slot, accountId: "b" })).toHaveLength(2);
    });

    test("which gets each place that one account had, until it has its share", async () => {
      const slot = { slotId: newSlot(), parallel: 4n };
      const uses = await race(4, slot);
      expect(await race(1, { ...slot, accountId: "b" })).toHaveLength(0);
      for (const { useId } of uses.slice(0, 2)) {
        await end(useId);
        expect(await race(3, slot)).toHaveLength(0);
        expect(await race(1, { ...slot, accountId: "b" })).toHaveLength(1);
      }
      expect(await race(1, { ...slot, accountId: "b" })).toHaveLength(0);
    });

    test("and all to one that alone calls it, or alone did for a minute", async () => {
      const slot = { slotId: newSlot(), parallel: 8n };
      const [other] = await race(1, { ...slot, accountId: "b" });
      await end(other?.useId ?? "");
      await pools[0]?.query(
        "UPDATE slot_load SET asked_at = now() - interval '61 seconds' WHERE slot_id = $1",
        [slot.slotId],
      );
      expect(await race(20, slot)).toHaveLength(8);
    });
  });
});
