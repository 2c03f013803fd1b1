import { randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { findPostgres, serverUid } from "./postgres-binaries.ts";
import {
  initialiseCluster,
  isInitialised,
  placeCluster,
  postgresStopSignals,
  stopOrphan,
} from "./postgres-cluster.ts";
import { startServer } from "./server-process.ts";

const user = "tollgate";
const database = "tollgate";
/** Recovery after a crash of the machine is part of a start. */
const readyTimeoutMs = 60_000;
const connectTimeoutMs = 1_000;
const duplicateDatabase = "42P04";
const invalidPassword = "28P01";

export interface EmbeddedPostgres {
  /** Of the database `tollgate`, with user and password. */
  url: string;
  pid: number;
  /** Ends every session and the server, and waits until it is gone. */
  stop(): Promise<void>;
}

/**
 * Runs a real Postgres on the data folder, on 127.0.0.1 at `port`, else at a free one, and with a
 * password of its own. What it holds outlives restarts. The data folder must be this launcher's
 * alone: a server that still runs on it was left by a launcher that was killed, and is stopped
 * first. Data that may be thrown away is written with `durable: false`, which is faster and
 * survives no crash. `log` is told what takes time. Raises an Error with the end of `postgres.log`
 * when the server does not start.
 */
export async function startPostgres(options: {
  dataFolder: string;
  durable?: boolean;
  port?: number;
  log?: (message: string) => void;
}): Promise<EmbeddedPostgres> {
  const { durable = true, log = () => {} } = options;
  await mkdir(options.dataFolder, { recursive: true });
  const dataFolder = await realpath(options.dataFolder);
  const binaries = await findPostgres();
  const cluster = await placeCluster(dataFolder);
  const passwordFile = join(dataFolder, "postgres.password");
  const password = await readPassword(passwordFile);
  if (await isInitialised(cluster)) {
    if (await stopOrphan(cluster)) log("stopped the Postgres that an earlier start left running");
  } else {
    log(`making the Postgres data in ${cluster}`);
    await initialiseCluster({ binaries, cluster, user, password });
  }
  const port = options.port ?? (await freePort());
  const urlOf = (name: string) => `postgresql://${user}:${password}@127.0.0.1:${port}/${name}`;
  const server = await startServer({
    name: "the embedded Postgres",
    command: join(binaries, "bin", "postgres"),
    args: ["-D", cluster, ...settings(port, durable)],
    cwd: cluster,
    logFile: join(dataFolder, "postgres.log"),
    uid: serverUid,
    stopSignals: postgresStopSignals,
    readyTimeoutMs,
    isReady: () => canConnect(urlOf("postgres"), { passwordFile, cluster }),
  });
  try {
    await createDatabase(urlOf("postgres"), database);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url: urlOf(database), pid: server.pid, stop: server.stop };
}

/** Makes a database beside the one that `url` names, unless it is there. Answers its own URL. */
export async function createDatabase(url: string, name: string): Promise<string> {
  await runStatement(url, `CREATE DATABASE ${pg.escapeIdentifier(name)}`).catch((error) => {
    if ((error as pg.DatabaseError).code !== duplicateDatabase) throw error;
  });
  const own = new URL(url);
  own.pathname = `/${encodeURIComponent(name)}`;
  return own.toString();
}

/** Removes a database, its open sessions with it, unless it is gone. `url` names another one. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await runStatement(url, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
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

async function readPassword(file: string): Promise<string> {
  const known = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "";
  });
  if (known !== "") return known;
  const password = randomBytes(24).toString("base64url");
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Raises an Error that says what to do where the password is another than the data was made with.
 */
async function canConnect(
  url: string,
  { passwordFile, cluster }: { passwordFile: string; cluster: string },
): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  // A server that ends in the middle tells the client outside any call.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    if ((error as pg.DatabaseError).code !== invalidPassword) return false;
    throw new Error(
      `the embedded Postgres refuses the password in ${passwordFile}: put back the one that the ` +
        `data in ${cluster} was made with, or remove that data to begin anew`,
    );
  }
}
