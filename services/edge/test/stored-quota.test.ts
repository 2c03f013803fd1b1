import { createHash } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { createRecords, type IdempotencyRecords } from "../src/idempotency/records.ts";
import { openEdgeDatabase } from "./edge-database.ts";

const quotaBytes = 64 * 1024;
const bodyBytes = 2 * 1024;
const fingerprint = createHash("sha256").update("body").digest();

describe("the stored responses of a key", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openEdgeDatabase(inject("postgresUrl"));
  });

  afterAll(() => pool.end());

  async function store(
    records: IdempotencyRecords,
    keyId: string,
    idempotencyKey: string,
    bytes: number = bodyBytes,
  ): Promise<void> {
    const key = { keyId, idempotencyKey, fingerprint };
    await records.acquire(key, idempotencyKey);
    const body = Buffer.alloc(bytes, idempotencyKey);
    expect(await records.store(key, idempotencyKey, { contentType: "text/plain", body })).toBe(
      true,
    );
  }

  async function bytesOf(keyId: string): Promise<number> {
    const { rows } = await pool.query<{ bytes: string }>(
      "SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM idempotency_record WHERE key_id = $1",
      [keyId],
    );
    return Number(rows[0]?.bytes);
  }

  const find = (records: IdempotencyRecords, keyId: string, idempotencyKey: string) =>
    records.find({ keyId, idempotencyKey, fingerprint });

  test("take its quota at most: the oldest are deleted, and their requests do not run again", async () => {
    const [here, there] = [
      createRecords(pool, { quotaBytes }),
      createRecords(pool, { quotaBytes }),
    ];
    await store(here, "other", "other-0");
    for (let index = 0; index < 80; index += 1) {
      await store(index % 2 === 0 ? here : there, "key", `key-${index}`);
    }
    const shareBytes = quotaBytes / 16;
    await vi.waitFor(async () =>
      expect(await bytesOf("key")).toBeLessThanOrEqual(quotaBytes + 2 * shareBytes),
    );
    expect(await bytesOf("key")).toBeGreaterThan(quotaBytes / 2);
    expect(await find(here, "key", "key-0")).toMatchObject({ state: "stored", body: undefined });
    expect((await find(here, "key", "key-79"))?.body?.bytes).toBe(bodyBytes);
    expect((await find(here, "other", "other-0"))?.body?.bytes).toBe(bodyBytes);
  });

  test("do not include one that exceeds the quota by itself", async () => {
    const records = createRecords(pool, { quotaBytes });
    await store(records, "large", "small");
    await store(records, "large", "large", quotaBytes + 1);
    expect(await find(records, "large", "large")).toMatchObject({
      state: "stored",
      body: undefined,
    });
    expect((await find(records, "large", "small"))?.body?.bytes).toBe(bodyBytes);
  });

  test("are trimmed by an index, without reading a body", async () => {
    const { rows } = await pool.query<{ "QUERY PLAN": string }>(
      `EXPLAIN SELECT sum(stored_bytes) OVER (ORDER BY stored_at DESC, idempotency_key)
       FROM idempotency_record WHERE key_id = 'key' AND stored_bytes IS NOT NULL`,
    );
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("idempotency_record_stored");
  });
});
