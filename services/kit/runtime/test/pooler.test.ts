import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createLog } from "@tollgate/core/log";
import { freePort } from "@tollgate/local/free-port";
import { createDatabase } from "@tollgate/local/postgres";
import { serverUid } from "@tollgate/local/postgres-binaries";
import pg from "pg";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { openDatabase } from "../src/database/pool.ts";
import { requireSessions } from "../src/database/require-sessions.ts";

const hasPgbouncer = spawnSync("pgbouncer", ["--version"]).error === undefined;
const database = "kit_pooler";

/** Starts a PgBouncer before the database, with the settings. Resolves with its URL. */
async function startPgbouncer(settings: string[]): Promise<string> {
  const server = new URL(await createDatabase(inject("postgresUrl"), database));
  const folder = await mkdtemp(join(tmpdir(), "tollgate-pgbouncer-"));
  await chmod(folder, 0o755);
  const port = await freePort();
  const { hostname, username, password } = server;
  const target = `host=${hostname} port=${server.port} user=${username} password=${password}`;
  const lines = [
    "[databases]",
    `${database} = ${target}`,
    ...["[pgbouncer]", "listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir ="],
    ...["auth_type = any", ...settings],
  ];
  const configFile = join(folder, "pgbouncer.ini");
  await writeFile(configFile, `${lines.join("\n")}\n`);
  const user = serverUid === undefined ? {} : { uid: serverUid, gid: serverUid };
  const child = spawn("pgbouncer", [configFile], { stdio: "ignore", ...user });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
    await rm(folder, { recursive: true, force: true });
  });
  const url = `postgresql://${username}@127.0.0.1:${port}/${database}`;
  await vi.waitFor(
    async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.end();
    },
    { timeout: 15_000 },
  );
  return url;
}

const open = (url: string) =>
  openDatabase({
    url,
    schema: { name: "kit_pooler", migrations: pathToFileURL(tmpdir()) },
    maxConnections: 2,
    log: createLog("silent"),
  });

describe.runIf(hasPgbouncer)("PgBouncer in transaction mode is refused with a sentence", () => {
  test("where it takes no settings of connections", async () => {
    const url = await startPgbouncer(["pool_mode = transaction"]);
    await expect(open(url)).rejects.toThrow(
      /^database 127.0.0.1:\d+\/kit_pooler cannot be used: it is a pooler that takes no settings of connections: name Postgres itself/,
    );
  });

  test("where it drops them", async () => {
    const ignore = "ignore_startup_parameters = options";
    const url = await startPgbouncer(["pool_mode = transaction", ignore]);
    await expect(open(url)).rejects.toThrow(/a pooler drops the settings of connections/);
  });

  test.each([
    ["transaction", 1],
    ["transaction", 5],
    ["session", 5],
  ])("where it gives a session to each %s, of %i", async (mode, size) => {
    const url = await startPgbouncer([`pool_mode = ${mode}`, `default_pool_size = ${size}`]);
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    onTestFinished(() => pool.end());
    const checking = requireSessions(pool, '"$user", public');
    if (mode === "session") await checking;
    else await expect(checking).rejects.toThrow(/gives each transaction another session/);
  });
});
