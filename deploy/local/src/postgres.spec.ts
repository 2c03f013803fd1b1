import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, dropDatabase, startPostgres } from "./postgres.ts";
import { serverUid } from "./postgres-binaries.ts";
import { commandOf, isAlive } from "./process-table.ts";

let dataFolder: string;

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "tollgate-postgres-"));
  // A test may run with a strict umask, and closes the folder when it means to.
  await chmod(dataFolder, 0o755);
});

afterEach(() => rm(dataFolder, { recursive: true, force: true }));

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A program that starts Postgres on the folder and lives until it is killed. */
async function startLauncher(ending: string) {
  const program = `
    import { startPostgres } from ${JSON.stringify(import.meta.resolve("./postgres.ts"))};
    const { url, pid } = await startPostgres({ dataFolder: process.argv[1] });
    process.stdout.write(JSON.stringify({ url, pid }));
    ${ending}`;
  const args = ["--input-type=module-typescript", "--eval", program, dataFolder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(child, "exit");
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { child, exited, server: JSON.parse(said.toString()) as { url: string; pid: number } };
}

describe("an embedded Postgres", { timeout: 60_000 }, () => {
  test("keeps its data over a restart, and leaves no process when it is stopped", async () => {
    const said: string[] = [];
    const first = await startPostgres({ dataFolder, log: (message) => said.push(message) });
    await query(first.url, "CREATE TABLE kept AS SELECT 7 AS number");
    await first.stop();
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);

    const began = performance.now();
    const second = await startPostgres({ dataFolder, log: (message) => said.push(message) });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await query(second.url, "SELECT number FROM kept")).toEqual([{ number: 7 }]);
    await second.stop();
    expect(said).toEqual([expect.stringContaining("making the Postgres data in")]);
  });

  test("is durable and checks its pages, and asks for a password that others cannot read", async () => {
    const postgres = await startPostgres({ dataFolder });
    const [row] = await query(
      postgres.url,
      `SELECT current_setting('fsync') AS fsync, current_setting('data_checksums') AS checksums,
        current_setting('listen_addresses') AS addresses, pg_encoding_to_char(encoding) AS encoding
      FROM pg_database WHERE datname = current_database()`,
    );
    expect(row).toEqual({
      fsync: "on",
      checksums: "on",
      addresses: "127.0.0.1",
      encoding: "UTF8",
    });
    const wrong = new URL(postgres.url);
    wrong.password = "guess";
    await expect(query(wrong.toString(), "SELECT")).rejects.toThrow("password authentication");
    expect((await stat(join(dataFolder, "postgres.password"))).mode & 0o077).toBe(0);
    await postgres.stop();

    await writeFile(join(dataFolder, "postgres.password"), "another");
    const password = join(dataFolder, "postgres.password");
    const refusal = `refuses the password in ${password}: put back the one that the data in ${dataFolder}`;
    await expect(startPostgres({ dataFolder })).rejects.toThrow(refusal);
  });

  test("makes and drops databases, also ones with sessions and odd names", async () => {
    const { url, stop } = await startPostgres({ dataFolder, durable: false });
    const name = 'a "b" c';
    const own = await createDatabase(url, name);
    expect(await createDatabase(url, name)).toBe(own);
    const session = new pg.Client({ connectionString: own });
    const lost = new Promise((resolve) => session.on("error", resolve));
    await session.connect();
    expect((await session.query("SELECT current_database() AS name")).rows).toEqual([{ name }]);
    await dropDatabase(url, name);
    await lost;
    await dropDatabase(url, name);
    await expect(query(own, "SELECT")).rejects.toThrow("does not exist");
    await stop();
  });

  test("is started anew, with its data, after the launcher was killed", async () => {
    const { child, exited, server } = await startLauncher("setInterval(() => {}, 1000);");
    await query(server.url, "CREATE TABLE kept AS SELECT 7 AS number");
    child.kill("SIGKILL");
    await exited;
    expect(isAlive(server.pid)).toBe(true);
    const next = await startPostgres({ dataFolder });
    expect(isAlive(server.pid)).toBe(false);
    expect(await query(next.url, "SELECT number FROM kept")).toEqual([{ number: 7 }]);
    await next.stop();
  });

  test("ends with a launcher that crashes", async () => {
    const { exited, server } = await startLauncher(
      "setTimeout(() => { throw new Error(); }, 100);",
    );
    await exited;
    await expect.poll(() => isAlive(server.pid), { timeout: 10_000 }).toBe(false);
  });

  test("says why it does not start, and spares a program that was given its old id", async () => {
    const postgres = await startPostgres({ dataFolder, durable: false });
    const cluster = (await query(postgres.url, "SHOW data_directory"))[0]?.data_directory as string;
    await postgres.stop();
    await writeFile(join(cluster, "postmaster.pid"), `${process.pid}\n`);
    await (await startPostgres({ dataFolder, durable: false })).stop();
    await writeFile(join(cluster, "postgresql.conf"), "no_such_setting = 1\n");
    await expect(startPostgres({ dataFolder })).rejects.toThrow(
      /^the embedded Postgres ended before it was ready: .*no_such_setting/,
    );
  });
});

describe.runIf(serverUid !== undefined)("as root", { timeout: 60_000 }, () => {
  test("a data folder that is closed to others keeps its data at a place beside", async () => {
    await chmod(dataFolder, 0o700);
    const closed = join(dataFolder, "data");
    await mkdir(closed);
    const first = await startPostgres({ dataFolder: closed });
    const place = (await readFile(join(closed, "postgres-is-at.txt"), "utf8")).trim();
    try {
      expect(place).toMatch(/^\/var\/(lib|tmp)\/tollgate-[0-9a-f]{16}$/);
      await query(first.url, "CREATE TABLE kept AS SELECT 7 AS number");
      await first.stop();
      // Opening the folder later does not leave the data behind.
      await chmod(dataFolder, 0o755);
      const second = await startPostgres({ dataFolder: closed });
      expect(await query(second.url, "SELECT number FROM kept")).toEqual([{ number: 7 }]);
      await second.stop();
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  });

  test("it runs as another user, and closing its folder later is told", async () => {
    const postgres = await startPostgres({ dataFolder, durable: false });
    expect(await commandOf(postgres.pid)).toContain(join(dataFolder, "postgres"));
    expect((await stat(`/proc/${postgres.pid}`)).uid).toBe(serverUid);
    await postgres.stop();
    await chmod(dataFolder, 0o700);
    await expect(startPostgres({ dataFolder })).rejects.toThrow("cannot be reached by user");
  });
});
