import { createHash, randomBytes } from "node:crypto";
import { createLog } from "@tollgate/core/log";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { createLeases, type Lease, type Leases } from "../src/idempotency/leases.ts";
import {
  createRecords,
  type FoundRecord,
  type IdempotencyRecords,
} from "../src/idempotency/records.ts";
import type { RequestKey } from "../src/idempotency/request-key.ts";
import { storedChunkBytes } from "../src/idempotency/stored-body.ts";
import { openEdgeDatabase } from "./edge-database.ts";

const log = createLog("silent");
const leaseMs = 2_000;
const quotaBytes = 256 * 1024 * 1024;
const response = { contentType: "text/plain", body: Buffer.from("response") };

describe("idempotency leases of two replicas", () => {
  let pool: pg.Pool;
  let here: Leases;
  let there: Leases;

  const start = (maxWaitMs = 20_000, ms = leaseMs) =>
    createLeases(createRecords(pool, { leaseMs: ms, quotaBytes }), log, {
      leaseMs: ms,
      maxWaitMs,
      maxRetryMs: 10_000,
    });

  beforeAll(async () => {
    pool = await openEdgeDatabase(inject("postgresUrl"));
    here = start();
    there = start();
  });

  afterAll(async () => {
    await Promise.all([here.stop(0), there.stop(0)]);
    await pool.end();
  });

  function keyOf(idempotencyKey: string): RequestKey {
    const fingerprint = createHash("sha256").update("body").digest();
    return { keyId: "key_1", idempotencyKey, fingerprint };
  }

  function acquire(leases: Leases, key: RequestKey, requestId: string) {
    return leases.acquire(key, requestId, new AbortController().signal);
  }

  async function acquired(leases: Leases, key: RequestKey, requestId: string): Promise<Lease> {
    const result = await acquire(leases, key, requestId);
    if ("state" in result) throw new Error("the key has a stored response");
    return result;
  }

  async function rows(idempotencyKey: string): Promise<object[]> {
    const text = "SELECT runner, charge_id FROM idempotency_record WHERE idempotency_key = $1";
    return (await pool.query<object>(text, [idempotencyKey])).rows;
  }

  /** Resolves when the end of the lease that is held now has passed, and the lease is still held. */
  async function renewed(idempotencyKey: string): Promise<void> {
    const of = "FROM idempotency_record WHERE idempotency_key = $1";
    const { rows } = await pool.query(`SELECT lease_until::text AS ends ${of}`, [idempotencyKey]);
    const text = `SELECT $2::timestamptz < now() AND now() < lease_until AS renewed ${of}`;
    const isRenewed = async () =>
      (await pool.query(text, [idempotencyKey, rows[0]?.ends])).rows[0]?.renewed;
    await expect.poll(isRenewed, { timeout: 20_000 }).toBe(true);
  }

  async function readAll({ body }: FoundRecord): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body?.chunks() ?? []) chunks.push(chunk);
    expect(body?.bytes).toBe(chunks.reduce((sum, { length }) => sum + length, 0));
    return Buffer.concat(chunks);
  }

  test("a lease is renewed while its run lasts", async () => {
    const key = keyOf("long");
    const lease = await acquired(here, key, "first");
    const waiting = acquire(there, key, "second");
    await renewed("long");
    await lease.store(response);
    expect(await waiting).toMatchObject({ state: "stored", requestId: "first" });
  });

  test("a lease that is not renewed is recovered, with its charge id", async () => {
    const key = keyOf("orphan");
    const dying = start();
    await acquired(dying, key, "first");
    await dying.stop(0);
    const lease = await acquired(there, key, "second");
    expect(lease.chargeId).toBe("first");
    await lease.release();
  });

  test("a run that lost its lease stores nothing, and receives the other run's response", async () => {
    const key = keyOf("stale");
    const dying = start();
    const stale = await acquired(dying, key, "first");
    await dying.stop(0);
    const recovered = await acquired(there, key, "second");
    expect(await stale.store({ ...response, body: Buffer.from("late") })).toBeUndefined();
    expect(await recovered.store(response)).toBeUndefined();
    const other = (await stale.store({ ...response, body: Buffer.from("later") })) as FoundRecord;
    expect([other.requestId, (await readAll(other)).toString()]).toEqual(["second", "response"]);
    expect(await acquire(here, key, "third")).toMatchObject({ requestId: "second" });
  });

  test.each([
    0,
    1,
    storedChunkBytes,
    storedChunkBytes + 1,
    5 * storedChunkBytes,
  ])("a stored body of %i bytes is read in chunks", async (bytes) => {
    const key = keyOf(`body-${bytes}`);
    const body = randomBytes(bytes);
    await (await acquired(here, key, "first")).store({ ...response, body });
    const found = (await acquire(there, key, "second")) as FoundRecord;
    expect(body.equals(await readAll(found))).toBe(true);
  });

  test("reading a body that is deleted meanwhile throws", async () => {
    const key = keyOf("broken-off");
    const lease = await acquired(here, key, "first");
    await lease.link("conversation-of-much");
    await lease.store({ ...response, body: randomBytes(3 * storedChunkBytes) });
    const { body } = (await acquire(there, key, "second")) as FoundRecord;
    const reading = body?.chunks()[Symbol.asyncIterator]();
    await reading?.next();
    await createRecords(pool, { quotaBytes }).forget(key.keyId, ["conversation-of-much"]);
    await expect(reading?.next()).rejects.toThrow("deleted");
  });

  test("a request that waits too long is rejected with a retry delay", async () => {
    const key = keyOf("busy");
    const shortWait = start(300);
    const lease = await acquired(here, key, "first");
    await expect(acquire(shortWait, key, "second")).rejects.toMatchObject({
      code: "idempotency_key_in_use",
      status: 409,
      retryAfterSeconds: 1,
    });
    await lease.release();
    await shortWait.stop(0);
  });

  test("a waiting request runs as soon as the lease is released", async () => {
    const key = keyOf("given-up");
    // The lease does not expire during the test.
    const longLeases = [start(30_000, 600_000), start(30_000, 600_000)] as const;
    const lease = await acquired(longLeases[0], key, "first");
    const waiting = acquired(longLeases[1], key, "second");
    await lease.release();
    const second = await waiting;
    expect(second.chargeId).toBe("first");
    await second.release();
    await Promise.all(longLeases.map((leases) => leases.stop(0)));
  });

  test("a dropped run leaves no record", async () => {
    const key = keyOf("dropped");
    await (await acquired(here, key, "first")).drop();
    expect(await rows("dropped")).toEqual([]);
  });

  test("the key of a released run accepts only the same request until it expires", async () => {
    const key = keyOf("left");
    const other = { ...key, fingerprint: createHash("sha256").update("other").digest() };
    await (await acquired(here, key, "first")).release();
    await expect(acquire(there, other, "second")).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
    const again = await acquired(there, key, "third");
    expect(again.chargeId).toBe("first");
    await again.release();
    await pool.query(
      "UPDATE idempotency_record SET expires_at = now() WHERE idempotency_key = $1",
      [key.idempotencyKey],
    );
    const fresh = await acquired(here, other, "fourth");
    expect(fresh.chargeId).toBe("fourth");
    await fresh.drop();
    await (await acquired(here, key, "fifth")).drop();
  });

  test("a lease whose end cannot be written is ended later", async () => {
    const key = keyOf("given-up-later");
    const records = createRecords(pool, { leaseMs, quotaBytes });
    const drop = vi.fn(records.drop).mockRejectedValueOnce(new Error("no connection"));
    const leases = createLeases({ ...records, drop }, log);
    await (await acquired(leases, key, "first")).drop();
    await vi.waitFor(async () => expect(await rows("given-up-later")).toEqual([]), {
      timeout: 10_000,
    });
    expect(drop).toHaveBeenCalledTimes(2);
    await leases.stop(5_000);
  });

  test("a dropped run keeps the charge id of an earlier run", async () => {
    const key = keyOf("dropped-second");
    await (await acquired(here, key, "first")).release();
    await (await acquired(here, key, "second")).drop();
    expect(await rows("dropped-second")).toEqual([{ runner: "second", charge_id: "first" }]);
    const third = await acquired(there, key, "third");
    expect(third.chargeId).toBe("first");
    await third.release();
  });

  test.each([
    ["the conversation of a run", ["conversation"]],
    ["every conversation of the key", undefined],
  ])("a run stores nothing after %s is forgotten, and the next run has its charge id", async (...row) => {
    const [, forgotten] = row;
    const records = createRecords(pool, { leaseMs, quotaBytes });
    const key = keyOf(`forgotten-${forgotten}`);
    const lease = await acquired(here, key, "first");
    await lease.link("conversation");
    await records.forget("key_2", forgotten);
    await records.forget(key.keyId, ["another"]);
    await records.forget(key.keyId, []);
    expect(await records.find(key)).toMatchObject({ state: "running" });
    await records.forget(key.keyId, forgotten);
    expect(await lease.store(response)).toBeUndefined();
    const next = await acquired(there, key, "second");
    expect(next.chargeId).toBe("first");
    await next.release();
  });

  test.each<[string, (records: IdempotencyRecords, keys: RequestKey[]) => Promise<void>]>([
    ["forgetting", (records) => records.forget("key_1", ["conversation"])],
    ["renewing", (records, keys) => records.renew(keys.map((key) => ({ key, runner: "first" })))],
  ])("%s several records locks them in the order of their keys", async (name, run) => {
    const records = createRecords(pool, { leaseMs, quotaBytes });
    const keys = [keyOf(`b ${name}`), keyOf(`a ${name}`)];
    for (const key of keys) {
      await records.acquire(key, "first");
      await records.link(key, "first", "conversation");
    }
    const own = "SELECT FROM idempotency_record WHERE idempotency_key = $1 FOR UPDATE";
    const holder = await pool.connect();
    await holder.query("BEGIN");
    await holder.query(own, [`a ${name}`]);
    const done = run(records, keys);
    await vi.waitFor(
      async () => {
        const text = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
        AND datname = current_database()`;
        expect((await pool.query(text)).rowCount).toBe(1);
      },
      { timeout: 20_000 },
    );
    const free = holder.query(`${own} NOWAIT`, [`b ${name}`]);
    await free.finally(() => holder.release(true));
    await done;
  });

  test("the conversations of a key are returned once each, however many there are", async () => {
    await pool.query(
      `INSERT INTO idempotency_record
         (key_id, idempotency_key, fingerprint, charge_id, runner, lease_until, expires_at, conversation_id)
       SELECT 'key_3', 'linked-' || n, '', 'c', 'r', now(), now() + interval '1 h',
         CASE WHEN n <= 4600 THEN 'conversation-' || n / 2 END
       FROM generate_series(2, 4700) AS n`,
    );
    const found: string[] = [];
    const { conversationsOf } = createRecords(pool, { leaseMs, quotaBytes });
    for await (const ids of conversationsOf("key_3")) found.push(...ids);
    const all = Array.from({ length: 2_300 }, (_, index) => `conversation-${index + 1}`);
    expect(new Set(found)).toEqual(new Set(all));
    expect(found).toHaveLength(all.length);
  });

  test("a response that cannot be stored is stored later, and its lease is held until then", async () => {
    const key = keyOf("stored-later");
    const lease = await acquired(here, key, "first");
    await pool.query(
      "ALTER TABLE idempotency_record ADD CONSTRAINT rejected CHECK (stored_at IS NULL) NOT VALID",
    );
    await lease.store(response);
    const waiting = acquire(there, key, "second");
    await renewed("stored-later");
    await pool.query("ALTER TABLE idempotency_record DROP CONSTRAINT rejected");
    expect(await waiting).toMatchObject({ state: "stored", requestId: "first" });
  });

  test("a sweep removes expired records, and none that runs or is replayed", async () => {
    await pool.query(
      `INSERT INTO idempotency_record
         (key_id, idempotency_key, fingerprint, charge_id, runner, lease_until, expires_at, stored_at)
       SELECT 'key_2', 'swept-' || n, '', 'c', 'r', now(),
         now() + CASE WHEN n <= 2500 THEN interval '-1 s' ELSE interval '1 h' END, now()
       FROM generate_series(1, 2600) AS n`,
    );
    await pool.query(
      `INSERT INTO idempotency_record
         (key_id, idempotency_key, fingerprint, charge_id, runner, lease_until, expires_at)
       VALUES ('key_2', 'running', '', 'c', 'r', now() + interval '1 h', now() - interval '1 h')`,
    );
    const records = createRecords(pool, { leaseMs, quotaBytes });
    expect(await records.sweep()).toBe(2_500);
    expect(await records.sweep()).toBe(0);
    const left = await pool.query("SELECT FROM idempotency_record WHERE key_id = 'key_2'");
    expect(left.rowCount).toBe(101);
  });

  test("a stop waits for the runs in progress", async () => {
    const ended: string[] = [];
    const records = createRecords(pool, { leaseMs, quotaBytes });
    const store: typeof records.store = async (...args) => {
      const isStored = await records.store(...args);
      ended.push("run");
      return isStored;
    };
    const stopping = createLeases({ ...records, store }, log);
    const lease = await acquired(stopping, keyOf("stop"), "first");
    const stop = stopping.stop(5_000).then(() => ended.push("stop"));
    await lease.store(response);
    await stop;
    expect(ended).toEqual(["run", "stop"]);
  });
});
