import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, dropDatabase, startPostgres } from "./postgres.ts";
import { serverUid } from "./postgres-binaries.ts";
import { commandLineOf, isAlive } from "./process-table.ts";

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

/** Starts a process that starts Postgres on the folder. `ending` is the rest of its program. */
async function startLauncher(ending: string) {
  const program = `
    import { startPostgres } from ${JSON.stringify(import.meta.resolve("./postgres.ts"))};
    const { url, pid } = await startPostgres({ dataFolder: process.argv[1] });
    process.stdout.write(JSON.stringify({ url, pid }));
    ${ending}`;
  const args = ["--input-type=module-typescript", "--eval", program, dataFolder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(child, "exit");
  const [message] = (await once(child.stdout, "data")) as [Buffer];
  return { child, exited, server: JSON.parse(message.toString()) as { url: string; pid: number } };
}

describe("an embedded Postgres", { timeout: 60_000 }, () => {
  test("preserves its data over a restart, and leaves no process after it is stopped", async () => {
    const logged: string[] = [];
    const first = await startPostgres({ dataFolder, log: (message) => logged.push(message) });
    await query(first.url, "CREATE TABLE stored AS SELECT 7 AS number");
    await first.stop();
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);

    const began = performance.now();
    const second = await startPostgres({ dataFolder, log: (message) => logged.push(message) });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await query(second.url, "SELECT number FROM stored")).toEqual([{ number: 7 }]);
    await second.stop();
    expect(logged).toEqual([expect.stringContaining("creating the Postgres data in")]);
  });

  test("is durable, has checksums, and requires a password that other users cannot read", async () => {
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
    const refusal = `refuses the password in ${password}: restore the one with which the data in ${dataFolder}`;
    await expect(startPostgres({ dataFolder })).rejects.toThrow(refusal);
  });

  test("creates and drops databases, also with open sessions and unusual names", async () => {
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

  test("starts again with its data after the launcher was killed", async () => {
    const { child, exited, server } = await startLauncher("setInterval(() => {}, 1000);");
    await query(server.url, "CREATE TABLE stored AS SELECT 7 AS number");
    child.kill("SIGKILL");
    await exited;
    expect(isAlive(server.pid)).toBe(true);
    const next = await startPostgres({ dataFolder });
    expect(isAlive(server.pid)).toBe(false);
    expect(await query(next.url, "SELECT number FROM stored")).toEqual([{ number: 7 }]);
    await next.stop();
  });

  test("exits when the launcher crashes", async () => {
    const { exited, server } = await startLauncher(
      "setTimeout(() => { throw new Error(); }, 100);",
    );
    await exited;
    await expect.poll(() => isAlive(server.pid), { timeout: 10_000 }).toBe(false);
  });

  test("reports why it does not start, and spares a program that has its former process id", async () => {
    const postgres = await startPostgres({ dataFolder, durable: false });
    const cluster = (await query(postgres.url, "SHOW data_directory"))[0]?.data_directory as string;
    await postgres.stop();
    await writeFile(join(cluster, "postmaster.pid"), `${process.pid}\n`);
    await (await startPostgres({ dataFolder, durable: false })).stop();
    await writeFile(join(cluster, "postgresql.conf"), "no_such_setting = 1\n");
    await expect(startPostgres({ dataFolder })).rejects.toThrow(
      /^the embedded Postgres exited before it was ready: .*no_such_setting/,
    );
  });
});

describe.runIf(serverUid !== undefined)("as root", { timeout: 60_000 }, () => {
  test("a data folder that is closed to other users has its data in /var", async () => {
    await chmod(dataFolder, 0o700);
    const closed = join(dataFolder, "data");
    await mkdir(closed);
    const first = await startPostgres({ dataFolder: closed });
    const location = (await readFile(join(closed, "postgres-location.txt"), "utf8")).trim();
    try {
      expect(location).toMatch(/^\/var\/(lib|tmp)\/tollgate-[0-9a-f]{16}$/);
      await query(first.url, "CREATE TABLE stored AS SELECT 7 AS number");
      await first.stop();
      // Opening the folder later does not move the data.
      await chmod(dataFolder, 0o755);
      const second = await startPostgres({ dataFolder: closed });
      expect(await query(second.url, "SELECT number FROM stored")).toEqual([{ number: 7 }]);
      await second.stop();
    } finally {
      await rm(location, { recursive: true, force: true });
    }
  });

  test("it runs as another user, and a folder that is closed later is reported", async () => {
    const postgres = await startPostgres({ dataFolder, durable: false });
    expect(await commandLineOf(postgres.pid)).toContain(join(dataFolder, "postgres"));
    expect((await stat(`/proc/${postgres.pid}`)).uid).toBe(serverUid);
    await postgres.stop();
    await chmod(dataFolder, 0o700);
    await expect(startPostgres({ dataFolder })).rejects.toThrow(
      /user \d+, who runs Postgres, cannot reach its data/,
    );
  });
});
