import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openDatabase } from "../src/database/pool.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A Postgres in which each suite creates its own databases. */
    postgresUrl: string;
  }
}

describe("the connections of a service to its database", () => {
  let folder: string;
  let pool: pg.Pool;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tollgate-pool-"));
    pool = await openDatabase({
      url: await createDatabase(inject("postgresUrl"), "kit_pool"),
      schema: { name: "kit_pool", migrations: pathToFileURL(folder) },
      maxConnections: 1,
      log: createLog("silent"),
    });
  });

  afterAll(async () => {
    await pool.end();
    await rm(folder, { recursive: true });
  });

  test("a connection that breaks fails its own query only", async () => {
    const client = await pool.connect();
    const ended = new Promise<void>((resolve) => client.once("end", resolve));
    const terminate = "SELECT pg_terminate_backend(pg_backend_pid())";
    await expect(client.query(terminate)).rejects.toThrow("terminating connection");
    await ended;
    client.release(true);
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  test("a query waits for a connection longer than the default timeout of a call", async () => {
    const slow = pool.query("SELECT pg_sleep(5.5)");
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await slow;
  });
});
