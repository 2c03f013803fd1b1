import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { isAlive } from "./data-folder.ts";
import { freePort } from "./free-port.ts";
import { findPostgres, isReachable, serverUid } from "./postgres-binaries.ts";
import { startServer, stopProcess } from "./server-process.ts";

const run = promisify(execFile);
const user = "tollgate";
const database = "tollgate";
const readyTimeoutMs = 30_000;

export interface EmbeddedPostgres {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/**
 * Runs a real Postgres on the data folder, on 127.0.0.1 at a free port and with a password of its
 * own. What it holds outlives restarts. The data folder must be this launcher's alone. Data that
 * may be thrown away is written with `durable: false`, which is faster and survives no crash.
 */
export async function startPostgres(options: {
  dataFolder: string;
  durable?: boolean;
}): Promise<EmbeddedPostgres> {
  const dataFolder = resolve(options.dataFolder);
  const binaries = await findPostgres();
  const cluster = await clusterFolder(dataFolder);
  const password = await readPassword(join(dataFolder, "postgres.password"));
  await stopOrphan(cluster);
  await initialise(binaries, cluster, password);
  const port = await freePort();
  const urlOf = (name: string) => `postgresql://${user}:${password}@127.0.0.1:${port}/${name}`;
  const server = await startServer({
    name: "the embedded Postgres",
    command: join(binaries, "bin", "postgres"),
    args: ["-D", cluster, ...settings(port, options.durable ?? true)],
    logFile: join(dataFolder, "postgres.log"),
    uid: serverUid,
    stopSignal: "SIGINT",
    readyTimeoutMs,
    isReady: () => canConnect(urlOf("postgres")),
  });
  await createDatabase(urlOf("postgres"), database);
  return { url: urlOf(database), pid: server.pid, stop: server.stop };
}

/** Makes a database beside the one that `url` names, unless it is there. Answers its own URL. */
export async function createDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE "${name}"`);
  } finally {
    await client.end();
  }
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.toString();
}

function settings(port: number, durable: boolean): string[] {
  const values = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 300,
    shared_buffers: "128MB",
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/**
 * Where the cluster lies: in the data folder, or where the user that Postgres runs as can reach it
 * when the data folder is closed to others, as a home of root is.
 */
async function clusterFolder(dataFolder: string): Promise<string> {
  if (serverUid === undefined || (await isReachable(dataFolder))) {
    return join(dataFolder, "postgres");
  }
  const name = createHash("sha256").update(dataFolder).digest("hex").slice(0, 16);
  const place = join("/var/lib/tollgate", name);
  await mkdir(dirname(place), { recursive: true, mode: 0o755 });
  await writeFile(join(dataFolder, "postgres-is-at.txt"), `${place}\n`);
  return place;
}

async function readPassword(file: string): Promise<string> {
  const known = await readFile(file, "utf8").catch(() => "");
  if (known !== "") return known;
  const password = randomBytes(24).toString("base64url");
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

/** A launcher that was killed left its server running; the folder's lock says that it is ours. */
async function stopOrphan(cluster: string): Promise<void> {
  const file = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number(file.split("\n")[0]);
  if (pid > 0 && isAlive(pid) && (await isPostgres(pid))) await stopProcess(pid, "SIGINT");
}

/** The pid in an old file may have been given to another program since. */
async function isPostgres(pid: number): Promise<boolean> {
  const { stdout } = await run("ps", ["-o", "command=", "-p", String(pid)]).catch(() => ({
    stdout: "postgres",
  }));
  return stdout.includes("postgres");
}

async function initialise(binaries: string, cluster: string, password: string): Promise<void> {
  if (await stat(join(cluster, "PG_VERSION")).catch(() => undefined)) return;
  const passwordFile = `${cluster}.initdb`;
  // A first start that was cut off left half a cluster.
  await rm(cluster, { recursive: true, force: true });
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (serverUid !== undefined) {
    for (const path of [cluster, passwordFile]) await chown(path, serverUid, serverUid);
  }
  const flags = ["--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--no-instructions"];
  try {
    await run(
      join(binaries, "bin", "initdb"),
      ["-D", cluster, "-U", user, `--pwfile=${passwordFile}`, ...flags],
      serverUid === undefined ? {} : { uid: serverUid, gid: serverUid },
    );
  } catch (error) {
    await rm(cluster, { recursive: true, force: true });
    throw new Error(`the embedded Postgres could not be set up: ${(error as Error).message}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
