import { createDatabase } from "@tollgate/local/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { readByteRows } from "../src/database/byte-rows.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A Postgres in which every suite makes databases of its own. */
    postgresUrl: string;
  }
}

describe("rows of bytes", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    const connectionString = await createDatabase(inject("postgresUrl"), "kit_byte_rows");
    pool = new pg.Pool({ connectionString, max: 1 });
  });

  afterAll(() => pool.end());

  test("come as they lie, also those that are no text, are empty, or larger than what the driver reads at once", async () => {
    const large = 300_000;
    const rows = await readByteRows(
      pool,
      `SELECT content FROM (VALUES
         (1, '\\xff00fe0a5c'::bytea), (2, ''), (3, convert_to(repeat('é', ${large}), 'UTF8'))
       ) AS given (place, content) ORDER BY place`,
    );
    expect(rows.slice(0, 2)).toEqual([Buffer.from("ff00fe0a5c", "hex"), Buffer.alloc(0)]);
    expect(rows[2]?.toString() === "é".repeat(large)).toBe(true);
    expect(rows).toHaveLength(3);
  });

  test("stay what they are while many more are read", async () => {
    const query = `SELECT convert_to(repeat(n::text, 1000), 'UTF8')
      FROM generate_series(1, 2000) AS n ORDER BY n`;
    const rows = await readByteRows(pool, query);
    const expected = Array.from({ length: 2_000 }, (_, index) => String(index + 1).repeat(1_000));
    expect(rows.map(String)).toEqual(expected);
  });

  test("may be none", async () => {
    expect(await readByteRows(pool, "SELECT ''::bytea WHERE false")).toEqual([]);
  });

  test("are refused with what Postgres says, and the next ones are read", async () => {
    const failing = "SELECT convert_to((1 / (n - 2))::text, 'UTF8') FROM generate_series(1, 3) n";
    await expect(readByteRows(pool, failing)).rejects.toThrow("division by zero");
    expect(await readByteRows(pool, "SELECT 'a'::bytea")).toEqual([Buffer.from("a")]);
  });
});
