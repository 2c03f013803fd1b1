import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createLog, type Log } from "@tollgate/core/log";
import { freePort } from "@tollgate/local/free-port";
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

  test("a database that accepts no connections yet is waited for", async () => {
    const { hostname, port } = new URL(inject("postgresUrl"));
    const url = new URL(await createDatabase(inject("postgresUrl"), "kit_pool_late"));
    const server = createServer((socket) => {
      const upstream = connect(Number(port), hostname);
      pipeline(socket, upstream, socket, () => {});
    });
    url.port = String(await freePort());
    const lines: unknown[] = [];
    const warn = (line: unknown) => {
      lines.push(line);
      server.listen(Number(url.port), hostname);
    };
    const late = await openDatabase({
      url: url.href,
      schema: { name: "kit_pool", migrations: pathToFileURL(folder) },
      maxConnections: 1,
      log: { ...createLog("silent"), warn } as unknown as Log,
    });
    expect(lines).toEqual([expect.objectContaining({ server: expect.stringContaining("late") })]);
    await late.end();
    await promisify(server.close.bind(server))();
  });

  test("a database that does not exist fails at once", async () => {
    const url = new URL(inject("postgresUrl"));
    url.pathname = "/kit_pool_none";
    const warn = () => expect.unreachable("it is not waited for");
    const opening = openDatabase({
      url: url.href,
      schema: { name: "kit_pool", migrations: pathToFileURL(folder) },
      maxConnections: 1,
      log: { ...createLog("silent"), warn } as unknown as Log,
    });
    await expect(opening).rejects.toThrow(/kit_pool_none cannot be used: .*does not exist/);
  });
});
