import { createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { type Claim, type Claims, createClaims } from "../src/idempotency/claims.ts";
import { pieceBytes } from "../src/idempotency/kept-body.ts";
import {
  createRecords,
  type FoundRecord,
  type IdempotencyRecords,
} from "../src/idempotency/records.ts";
import type { RequestKey } from "../src/idempotency/request-key.ts";
import { edgeSchema } from "../src/schema.ts";

const log = createLog("silent");
const leaseMs = 2_000;
const answer = { contentType: "text/plain", body: Buffer.from("answer") };

describe("claims over two replicas", () => {
  let pool: pg.Pool;
  let here: Claims;
  let there: Claims;

  const start = (maxWaitMs = 20_000, lease = leaseMs) =>
    createClaims(createRecords(pool, lease), log, {
      leaseMs: lease,
      maxWaitMs,
      maxKeepMs: 10_000,
    });

  beforeAll(async () => {
    const name = `edge_${randomUUID().replaceAll("-", "")}`;
    pool = await openDatabase({
      url: await createDatabase(inject("postgresUrl"), name),
      schema: edgeSchema,
      maxConnections: 8,
      log,
    });
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

  function enter(claims: Claims, key: RequestKey, requestId: string) {
    return claims.enter(key, requestId, new AbortController().signal);
  }

  async function claimed(claims: Claims, key: RequestKey, requestId: string): Promise<Claim> {
    const entered = await enter(claims, key, requestId);
    if ("state" in entered) throw new Error("the key was answered before");
    return entered;
  }

  async function rows(idempotencyKey: string): Promise<object[]> {
    const text = "SELECT runner, charge_id FROM idempotency_record WHERE idempotency_key = $1";
    return (await pool.query<object>(text, [idempotencyKey])).rows;
  }

  async function readAll({ body }: FoundRecord): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of body?.pieces() ?? []) pieces.push(piece);
    expect(body?.bytes).toBe(pieces.reduce((sum, { length }) => sum + length, 0));
    return Buffer.concat(pieces);
  }

  test("a claim is renewed for as long as its run lasts", async () => {
    const key = keyOf("long");
    const claim = await claimed(here, key, "first");
    const waiting = enter(there, key, "second");
    await expect(Promise.race([waiting, sleep(leaseMs * 3, "still waiting")])).resolves.toBe(
      "still waiting",
    );
    await claim.keep(answer);
    expect(await waiting).toMatchObject({ state: "answered", requestId: "first" });
  });

  test("a claim that nobody renews passes on, with its charge id", async () => {
    const key = keyOf("orphan");
    const dying = start();
    await claimed(dying, key, "first");
    await dying.stop(0);
    const claim = await claimed(there, key, "second");
    expect(claim.chargeId).toBe("first");
    await claim.release();
  });

  test("a stale runner keeps nothing, and is handed what the other answered", async () => {
    const key = keyOf("stale");
    const dying = start();
    const stale = await claimed(dying, key, "first");
    await dying.stop(0);
    const heir = await claimed(there, key, "second");
    expect(await stale.keep({ ...answer, body: Buffer.from("late") })).toBeUndefined();
    expect(await heir.keep(answer)).toBeUndefined();
    const other = (await stale.keep({ ...answer, body: Buffer.from("later") })) as FoundRecord;
    expect([other.requestId, (await readAll(other)).toString()]).toEqual(["second", "answer"]);
    expect(await enter(here, key, "third")).toMatchObject({ requestId: "second" });
  });

  test.each([
    0,
    1,
    pieceBytes,
    pieceBytes + 1,
    5 * pieceBytes,
  ])("a body of %i bytes is found again, a piece at a time", async (bytes) => {
    const key = keyOf(`body-${bytes}`);
    const body = randomBytes(bytes);
    await (await claimed(here, key, "first")).keep({ ...answer, body });
    const found = (await enter(there, key, "second")) as FoundRecord;
    expect(body.equals(await readAll(found))).toBe(true);
  });

  test("a body that is forgotten while it is read breaks off", async () => {
    const key = keyOf("broken-off");
    const claim = await claimed(here, key, "first");
    await claim.link("conversation-of-much");
    await claim.keep({ ...answer, body: randomBytes(3 * pieceBytes) });
    const { body } = (await enter(there, key, "second")) as FoundRecord;
    const reading = body?.pieces()[Symbol.asyncIterator]();
    await reading?.next();
    await createRecords(pool).forget(key.keyId, ["conversation-of-much"]);
    await expect(reading?.next()).rejects.toThrow("gone");
  });

  test("a request that waits too long is told to come again", async () => {
    const key = keyOf("busy");
    const impatient = start(300);
    const claim = await claimed(here, key, "first");
    await expect(enter(impatient, key, "second")).rejects.toMatchObject({
      code: "idempotency_key_in_use",
      status: 409,
      retryAfterSeconds: 1,
    });
    await claim.release();
    await impatient.stop(0);
  });

  test("a waiting request runs as soon as the one before it gave up", async () => {
    const key = keyOf("given-up");
    // Its lease outlasts the test: it is not that which ends.
    const patient = [start(30_000, 600_000), start(30_000, 600_000)] as const;
    const claim = await claimed(patient[0], key, "first");
    const waiting = claimed(patient[1], key, "second");
    await claim.release();
    const second = await waiting;
    expect(second.chargeId).toBe("first");
    await second.release();
    await Promise.all(patient.map((claims) => claims.stop(0)));
  });

  test("a run that asked nothing of a service leaves no record", async () => {
    const key = keyOf("dropped");
    await (await claimed(here, key, "first")).drop();
    expect(await rows("dropped")).toEqual([]);
  });

  test("a key that a failed run left is that request's, until it has expired", async () => {
    const key = keyOf("left");
    const other = { ...key, fingerprint: createHash("sha256").update("other").digest() };
    await (await claimed(here, key, "first")).release();
    await expect(enter(there, other, "second")).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
    const again = await claimed(there, key, "third");
    expect(again.chargeId).toBe("first");
    await again.release();
    await pool.query(
      "UPDATE idempotency_record SET expires_at = now() WHERE idempotency_key = $1",
      [key.idempotencyKey],
    );
    const fresh = await claimed(here, other, "fourth");
    expect(fresh.chargeId).toBe("fourth");
    await fresh.drop();
    await (await claimed(here, key, "fifth")).drop();
  });

  test("a claim that cannot be given up now is given up later", async () => {
    const key = keyOf("given-up-later");
    const records = createRecords(pool, leaseMs);
    const drop = vi.fn(records.drop).mockRejectedValueOnce(new Error("no connection"));
    const claims = createClaims({ ...records, drop }, log);
    await (await claimed(claims, key, "first")).drop();
    await vi.waitFor(async () => expect(await rows("given-up-later")).toEqual([]), {
      timeout: 10_000,
    });
    expect(drop).toHaveBeenCalledTimes(2);
    await claims.stop(5_000);
  });

  test("a dropped run leaves the charge id of the run before it", async () => {
    const key = keyOf("dropped-second");
    await (await claimed(here, key, "first")).release();
    await (await claimed(here, key, "second")).drop();
    expect(await rows("dropped-second")).toEqual([{ runner: "second", charge_id: "first" }]);
    const third = await claimed(there, key, "third");
    expect(third.chargeId).toBe("first");
    await third.release();
  });

  test.each([
    ["the conversation of a run", ["conversation"]],
    ["all of its key's", undefined],
  ])("a run under way keeps nothing once %s is forgotten, and the next has its charge id", async (...row) => {
    const [, forgotten] = row;
    const records = createRecords(pool, leaseMs);
    const key = keyOf(`forgotten-${forgotten}`);
    const claim = await claimed(here, key, "first");
    await claim.link("conversation");
    await records.forget("key_2", forgotten);
    await records.forget(key.keyId, ["another"]);
    await records.forget(key.keyId, []);
    expect(await records.find(key)).toMatchObject({ state: "running" });
    await records.forget(key.keyId, forgotten);
    expect(await claim.keep(answer)).toBeUndefined();
    const next = await claimed(there, key, "second");
    expect(next.chargeId).toBe("first");
    await next.release();
  });

  test.each<[string, (records: IdempotencyRecords, keys: RequestKey[]) => Promise<void>]>([
    ["forgetting", (records) => records.forget("key_1", ["conversation"])],
    ["renewing", (records, keys) => records.renew(keys.map((key) => ({ key, runner: "first" })))],
  ])("%s many locks one after another, by their keys", async (name, run) => {
    const records = createRecords(pool, leaseMs);
    const keys = [keyOf(`b ${name}`), keyOf(`a ${name}`)];
    for (const key of keys) {
      await records.claim(key, "first");
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

  test("all conversations on a key's record are told once, however many", async () => {
    await pool.query(
      `INSERT INTO idempotency_record
         (key_id, idempotency_key, fingerprint, charge_id, runner, lease_until, expires_at, conversation_id)
       SELECT 'key_3', 'linked-' || n, '', 'c', 'r', now(), now() + interval '1 h',
         CASE WHEN n <= 4600 THEN 'conversation-' || n / 2 END
       FROM generate_series(2, 4700) AS n`,
    );
    const told: string[] = [];
    const { conversationsOf } = createRecords(pool, leaseMs);
    for await (const ids of conversationsOf("key_3")) told.push(...ids);
    const all = Array.from({ length: 2_300 }, (_, index) => `conversation-${index + 1}`);
    expect(new Set(told)).toEqual(new Set(all));
    expect(told).toHaveLength(all.length);
  });

  test("an answer that cannot be kept is kept later, its claim held until then", async () => {
    const key = keyOf("kept-later");
    const claim = await claimed(here, key, "first");
    await pool.query(
      "ALTER TABLE idempotency_record ADD CONSTRAINT refused CHECK (answered_at IS NULL) NOT VALID",
    );
    await claim.keep(answer);
    const waiting = enter(there, key, "second");
    await sleep(leaseMs * 2);
    await pool.query("ALTER TABLE idempotency_record DROP CONSTRAINT refused");
    expect(await waiting).toMatchObject({ state: "answered", requestId: "first" });
  });

  test("a sweep removes all that has expired, and nothing that runs or is still replayed", async () => {
    await pool.query(
      `INSERT INTO idempotency_record
         (key_id, idempotency_key, fingerprint, charge_id, runner, lease_until, expires_at, answered_at)
       SELECT 'key_2', 'swept-' || n, '', 'c', 'r', now(),
         now() + CASE WHEN n <= 2500 THEN interval '-1 s' ELSE interval '1 h' END, now()
       FROM generate_series(1, 2600) AS n`,
    );
    await pool.query(
      `INSERT INTO idempotency_record
         (key_id, idempotency_key, fingerprint, charge_id, runner, lease_until, expires_at)
       VALUES ('key_2', 'running', '', 'c', 'r', now() + interval '1 h', now() - interval '1 h')`,
    );
    const records = createRecords(pool, leaseMs);
    expect(await records.sweep()).toBe(2_500);
    expect(await records.sweep()).toBe(0);
    const left = await pool.query("SELECT FROM idempotency_record WHERE key_id = 'key_2'");
    expect(left.rowCount).toBe(101);
  });

  test("a stop waits for the runs under way", async () => {
    const stopping = start();
    const claim = await claimed(stopping, keyOf("stop"), "first");
    const stopped = vi.fn();
    const stop = stopping.stop(5_000).then(stopped);
    await sleep(100);
    expect(stopped).not.toHaveBeenCalled();
    await claim.keep(answer);
    await stop;
  });
});
