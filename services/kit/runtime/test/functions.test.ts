import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { openDatabase } from "../src/database/pool.ts";

const log = createLog("silent");

describe("the functions of a schema", () => {
  let url: string;
  let folder: string;
  let count = 0;
  let name: string;
  let client: pg.Client;

  beforeAll(async () => {
    url = await createDatabase(inject("postgresUrl"), "kit_functions");
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });

  afterAll(() => client.end());

  /** Each test has a schema of its own. */
  beforeEach(async () => {
    name = `functions_${++count}`;
    await client.query(`SET search_path = ${name}`);
    folder = await mkdtemp(join(tmpdir(), "tollgate-functions-"));
    await mkdir(join(folder, "sql"));
    await mkdir(join(folder, "migrations/0001_initial"), { recursive: true });
    await writeFile(join(folder, "migrations/0001_initial/migration.sql"), "SELECT 1");
    return () => rm(folder, { recursive: true });
  });

  const write = (file: string, sql: string) => writeFile(join(folder, "sql", file), sql);

  const returning = (value: number) =>
    `CREATE OR REPLACE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT ${value}'`;

  async function start(
    options: { migrates?: boolean; restoresFunctions?: boolean } = {},
  ): Promise<void> {
    const at = (part: string) => pathToFileURL(`${join(folder, part)}/`);
    const schema = { name, migrations: at("migrations"), functions: at("sql") };
    const pool = await openDatabase({ url, schema, maxConnections: 1, log, ...options });
    await pool.end();
  }

  async function call(expression: string): Promise<unknown> {
    const { rows } = await client.query<{ value: unknown }>(`SELECT ${expression} AS value`);
    return rows[0]?.value;
  }

  /** Changes whenever a function is created or replaced. */
  async function versions(): Promise<string[]> {
    const { rows } = await client.query<{ version: string }>(
      `SELECT oid::regprocedure || ' ' || oid || ' ' || xmin AS version FROM pg_proc
       WHERE pronamespace = $1::regnamespace ORDER BY 1`,
      [name],
    );
    return rows.map(({ version }) => version);
  }

  test("are created by the first start, and unchanged text applies nothing", async () => {
    await write("one.sql", returning(1));
    await start();
    expect(await call("one()")).toBe(1);
    const before = await versions();
    await start();
    expect(await versions()).toEqual(before);
  });

  test("a file whose text changed replaces its function, and no other", async () => {
    await write("one.sql", returning(1));
    await write("two.sql", returning(2).replace("one()", "two()"));
    await start();
    const before = await versions();
    await write("one.sql", returning(3));
    await start();
    expect(await call("one()")).toBe(3);
    const after = await versions();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });

  test("files in folders create their functions, each after those that it calls", async () => {
    for (const part of ["holds", "limits"]) await mkdir(join(folder, "sql", part));
    const two = "CREATE OR REPLACE FUNCTION two() RETURNS integer LANGUAGE sql";
    await write("holds/two.sql", `${two} AS 'SELECT one() + 1'`);
    await write("limits/one.sql", returning(1));
    await start();
    expect(await call("two()")).toBe(2);
    const before = await versions();
    await rename(join(folder, "sql/holds/two.sql"), join(folder, "sql/limits/two.sql"));
    await start();
    expect(await versions()).toEqual(before);
    await write("limits/two.sql", `${two} AS 'SELECT missing() + 1'`);
    await expect(start()).rejects.toThrow(`function ${name}/two failed: function missing()`);
  });

  test("two files of one name are refused", async () => {
    await mkdir(join(folder, "sql/holds"));
    await write("one.sql", returning(1));
    await write("holds/one.sql", returning(1));
    await expect(start()).rejects.toThrow("holds/one.sql and one.sql create one function");
  });

  test("an older program leaves newer functions in place, unless it restores its own", async () => {
    for (const value of [1, 2]) {
      await write("one.sql", returning(value));
      await start();
      expect(await call("one()")).toBe(value);
    }
    await write("two.sql", returning(2).replace("one()", "two()"));
    await start();
    await rm(join(folder, "sql/two.sql"));
    await write("one.sql", returning(1));
    await start();
    expect([await call("one()"), await call("two()")]).toEqual([2, 2]);
    await start({ restoresFunctions: true });
    expect(await call("one()")).toBe(1);
    expect(await versions()).toHaveLength(1);
  });

  test("a file that is removed drops its function with the next change, or where functions are restored", async () => {
    await write("one.sql", returning(1));
    await write("two.sql", returning(2).replace("one()", "two()"));
    await start();
    await rm(join(folder, "sql/one.sql"));
    await start();
    expect(await versions()).toHaveLength(2);
    await start({ restoresFunctions: true });
    expect(await versions()).toEqual([expect.stringContaining("two()")]);
  });

  test.each([
    ["another return type", "one() RETURNS text", "one()", "1"],
    ["other arguments", "one(plus integer) RETURNS integer", "one(1)", 1],
    ["another argument's name", "one(more integer) RETURNS integer", "one(1)", 1],
  ])("a function with %s takes the place of the earlier one", async (_, head, expression, value) => {
    const earlier = head.includes("more")
      ? "one(less integer) RETURNS integer"
      : "one() RETURNS integer";
    const of = (one: string) => `CREATE OR REPLACE FUNCTION ${one} LANGUAGE sql AS 'SELECT 1'`;
    await write("one.sql", of(earlier));
    await start();
    await write("one.sql", of(head));
    await start();
    expect(await call(expression)).toBe(value);
    expect(await versions()).toHaveLength(1);
  });

  test("two programs that start together apply a file once, and both start", async () => {
    await write("one.sql", returning(1));
    await Promise.all(Array.from({ length: 4 }, () => start()));
    const before = await versions();
    await write("one.sql", returning(2));
    await Promise.all(Array.from({ length: 4 }, () => start()));
    expect(await call("one()")).toBe(2);
    expect(await versions()).not.toEqual(before);
    expect(await call("(SELECT count(*)::int FROM _sql_functions)")).toBe(2);
  });

  test("a file that fails changes no function, and is named in the error", async () => {
    await write("one.sql", returning(1));
    await start();
    await write("one.sql", returning(2));
    await write("two.sql", "CREATE OR REPLACE FUNCTION two() oops");
    await expect(start()).rejects.toThrow(`function ${name}/two failed: syntax error`);
    expect(await call("one()")).toBe(1);
    await write("two.sql", "SELECT 1");
    await expect(start()).rejects.toThrow("two.sql creates no function two");
    expect(await call("one()")).toBe(1);
  });

  test("a session that calls a function while it is replaced never fails", async () => {
    await write("one.sql", returning(0));
    await start();
    let isDone = false;
    const calls = (async () => {
      const values = new Set<unknown>();
      while (!isDone) values.add(await call("one()"));
      // The last call of the loop may have started before the last replacement.
      return values.add(await call("one()"));
    })();
    for (let value = 1; value <= 10; value++) {
      await write("one.sql", returning(value));
      await start();
    }
    isDone = true;
    expect([...(await calls)].at(-1)).toBe(10);
  });

  describe("where others apply them", () => {
    const off = { migrates: false };

    test("a start with a function that is missing or has changed fails", async () => {
      await start();
      await write("one.sql", returning(1));
      const words = `function ${name}/one is not applied: run --target migrate`;
      await expect(start(off)).rejects.toThrow(words);
      await start();
      await start(off);
      await write("one.sql", returning(2));
      await expect(start(off)).rejects.toThrow(words);
      expect(await call("one()")).toBe(1);
    });

    test("a program whose functions a newer one has replaced or dropped still starts", async () => {
      await write("one.sql", returning(1));
      await write("two.sql", returning(2).replace("one()", "two()"));
      await start();
      await write("one.sql", returning(3));
      await rm(join(folder, "sql/two.sql"));
      await start();
      await write("one.sql", returning(1));
      await write("two.sql", returning(2).replace("one()", "two()"));
      await start(off);
      expect(await call("one()")).toBe(3);
    });
  });

  test("a program that is older than the tables leaves the functions as they are", async () => {
    await write("one.sql", returning(1));
    await start();
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name)
       VALUES ('newer', '', now(), '0002_newer')`,
    );
    await write("one.sql", returning(2));
    await start();
    expect(await call("one()")).toBe(1);
  });
});
