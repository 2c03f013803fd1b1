import { create } from "@bufbuild/protobuf";
import { PrismaPg } from "@prisma/adapter-pg";
import { SetSlotRequestSchema, SyncSlotsRequestSchema } from "@tollgate/proto/tollgate/v1/slot";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { PrismaClient } from "../src/generated/client.ts";
import { createSlots } from "../src/slots.ts";
import { createLedgerDatabase, openLedger } from "./ledger-database.ts";

describe("slots", () => {
  let pool: pg.Pool;
  let prisma: PrismaClient;
  let slots: ReturnType<typeof createSlots>;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
    slots = createSlots(pool, prisma);
  });

  afterAll(async () => {
    await prisma.$disconnect();
    await pool.end();
  });

  function report(replicaId: string, slotIds?: string[]) {
    const openBreakers = slotIds === undefined ? {} : { openBreakers: { slotIds } };
    return slots.syncSlots(create(SyncSlotsRequestSchema, { replicaId, ...openBreakers }));
  }

  async function openBreakers() {
    const { slots: states } = await slots.readSlots();
    return states.map(({ slotId, openBreakers: count }) => [slotId, count]);
  }

  test("count the replicas whose breaker is open, and forget a report after 30 seconds", async () => {
    await report("r1", ["p/a", "p/b"]);
    await report("r2", ["p/a"]);
    expect(await openBreakers()).toEqual([
      ["p/a", 2],
      ["p/b", 1],
    ]);
    await report("r1");
    expect(await openBreakers()).toHaveLength(2);
    await report("r1", ["p/b"]);
    expect(await openBreakers()).toEqual([
      ["p/a", 1],
      ["p/b", 1],
    ]);
    await pool.query(
      "UPDATE open_breaker SET reported_at = now() - interval '31 seconds' WHERE replica_id = 'r2'",
    );
    expect(await openBreakers()).toEqual([["p/b", 1]]);
    await report("r1", []);
    expect(await openBreakers()).toEqual([]);
  });

  test("of a key that is refused are named with what was said last, as long as it is reported", async () => {
    const refuse = (replicaId: string, ...refusedKeys: object[]) =>
      slots.syncSlots(
        create(SyncSlotsRequestSchema, { replicaId, openBreakers: { slotIds: [], refusedKeys } }),
      );
    const read = async () => (await slots.readOutages()).refusedKeys;
    const p = { provider: "p", key: "main" };
    const other = { provider: "p", key: "second", said: "", status: 402 };
    await refuse("r1", { ...p, said: "no", status: 401 }, other);
    const [first] = await read();
    await refuse("r2", { ...p, said: "never", status: 403 });
    const since = first?.since;
    expect(await read()).toEqual([
      { ...p, said: "never", status: 403, since },
      { ...other, since },
    ]);
    await refuse("r2");
    expect(await read()).toMatchObject([{ ...p, said: "no" }, other]);
    await refuse("r1", other);
    expect(await read()).toMatchObject([other]);
    await pool.query("UPDATE refused_key SET reported_at = now() - interval '31 seconds'");
    expect(await read()).toEqual([]);
  });

  test("are disabled once: a second time replaces the reason", async () => {
    const set = (disabledReason?: string) => {
      const reason = disabledReason === undefined ? {} : { disabledReason };
      return slots.setSlot(create(SetSlotRequestSchema, { slotId: "p/c", ...reason }));
    };
    expect(await set("one")).toMatchObject({ after: { reason: "one" } });
    expect((await report("r1")).disabledSlotIds).toEqual(["p/c"]);
    const second = await set("two");
    expect(second).toMatchObject({ before: { reason: "one" }, after: { reason: "two" } });
    expect(second.before?.since).toEqual(second.after?.since);
    expect(await set()).toEqual({ before: second.after });
    expect(await set()).toEqual({});
    expect((await report("r1")).disabledSlotIds).toEqual([]);
  });
});
