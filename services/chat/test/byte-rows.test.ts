import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { createDatabase } from "@tollgate/local/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { readByteRows } from "../src/database/byte-rows.ts";
import { CopySocket } from "../src/database/copy-socket.ts";

describe.each([
  ["with a CopySocket", () => new CopySocket()],
  ["with the driver's socket", undefined],
])("byte rows on a connection %s", (_, stream) => {
  let connectionString: string;
  let pool: pg.Pool;

  beforeAll(async () => {
    connectionString = await createDatabase(inject("postgresUrl"), "chat_byte_rows");
    pool = new pg.Pool({ connectionString, max: 1, ...(stream && { stream }) });
  });

  afterAll(() => pool.end());

  test("are returned unchanged, also if they are not text, empty, or larger than one read", async () => {
    const large = 300_000;
    const rows = await readByteRows(
      pool,
      `SELECT content FROM (VALUES
         (1, '\\xff00fe0a5c'::bytea), (2, ''), (3, convert_to(repeat('é', ${large}), 'UTF8'))
       ) AS input (position, content) ORDER BY position`,
    );
    expect(rows.slice(0, 2)).toEqual([Buffer.from("ff00fe0a5c", "hex"), Buffer.alloc(0)]);
    expect(rows[2]?.toString() === "é".repeat(large)).toBe(true);
    expect(rows).toHaveLength(3);
  });

  test("do not change while many more are read", async () => {
    const query = `SELECT convert_to(repeat(n::text, 1000), 'UTF8')
      FROM generate_series(1, 2000) AS n ORDER BY n`;
    const rows = await readByteRows(pool, query);
    const expected = Array.from({ length: 2_000 }, (_, index) => String(index + 1).repeat(1_000));
    expect(rows.map(String)).toEqual(expected);
  });

  test("may be absent", async () => {
    expect(await readByteRows(pool, "SELECT ''::bytea WHERE false")).toEqual([]);
  });

  test("reject with the error of Postgres, and the next query succeeds", async () => {
    const failing = "SELECT convert_to((1 / (n - 2))::text, 'UTF8') FROM generate_series(1, 3) n";
    await expect(readByteRows(pool, failing)).rejects.toThrow("division by zero");
    expect(await readByteRows(pool, "SELECT 'a'::bytea")).toEqual([Buffer.from("a")]);
  });

  test("reject when an error follows megabytes of rows, and the next query succeeds", async () => {
    const failing = `SELECT convert_to(repeat('x', 200000 / (40 - n)), 'UTF8')
      FROM generate_series(1, 50) n`;
    await expect(readByteRows(pool, failing)).rejects.toThrow("division by zero");
    expect(await readByteRows(pool, "SELECT 'a'::bytea")).toEqual([Buffer.from("a")]);
  });

  test("are complete also when Postgres sends notices between them", async () => {
    const client = await pool.connect();
    await client.query(
      `CREATE OR REPLACE FUNCTION notice(n integer) RETURNS bytea LANGUAGE plpgsql AS $$
        BEGIN
          IF n % 7 = 3 THEN RAISE NOTICE 'the %th', n; END IF;
          RETURN convert_to(repeat(n::text, 30000), 'UTF8');
        END $$`,
    );
    client.release();
    const rows = await readByteRows(pool, "SELECT notice(n) FROM generate_series(1, 20) n");
    const expected = Array.from({ length: 20 }, (_, index) => String(index + 1).repeat(30_000));
    expect(rows.map(String)).toEqual(expected);
  });

  test("reject when the connection breaks between them, and the next query succeeds", async () => {
    const { port, hostname } = new URL(connectionString);
    const breaking = createServer((client) => {
      const server = connect(Number(port), hostname);
      let bytes = 0;
      server.on("data", (part) => {
        bytes += part.byteLength;
        if (bytes > 1_000_000) client.destroy();
        else client.write(part);
      });
      client.on("data", (part) => server.write(part));
      client.on("close", () => server.destroy());
    });
    await once(breaking.listen(0, "127.0.0.1"), "listening");
    const proxied = new URL(connectionString);
    proxied.host = `127.0.0.1:${(breaking.address() as AddressInfo).port}`;
    const broken = new pg.Pool({
      connectionString: proxied.href,
      max: 1,
      ...(stream && { stream }),
    });
    broken.on("connect", (client) => client.on("error", () => {}));
    const many = "SELECT convert_to(repeat('x', 100000), 'UTF8') FROM generate_series(1, 50)";
    await expect(readByteRows(broken, many)).rejects.toThrow();
    expect(await readByteRows(broken, "SELECT 'a'::bytea")).toEqual([Buffer.from("a")]);
    await broken.end();
    breaking.close();
  });
});
