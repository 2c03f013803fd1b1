import { randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bracketed } from "@tollgate/core/listen-host";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { findPostgres, serverUid } from "./postgres-binaries.ts";
import {
  chooseClusterFolder,
  initializeCluster,
  isInitialized,
  postgresStopSignals,
  stopOrphan,
} from "./postgres-cluster.ts";
import { startServer } from "./server-process.ts";

const user = "tollgate";
const database = "tollgate";
/** Includes the recovery after a crash of the machine. */
const readyTimeoutMs = 60_000;
const connectTimeoutMs = 1_000;
/** Enough for a fleet with several replicas of each service, and for the tools of its operator. */
export const defaultConnections = 300;
/** SQLSTATEs duplicate_database and, of a standby, read_only_sql_transaction. */
const isPresent: ReadonlySet<string> = new Set(["42P04", "25006"]);
const invalidPassword = "28P01";

export interface EmbeddedPostgres {
  /** The URL of the database `tollgate`, with user and password. */
  url: string;
  pid: number;
  /** Ends all sessions, stops the server and waits for its exit. */
  stop(): Promise<void>;
}

/**
 * Starts a Postgres server on 127.0.0.1 with a generated password. Its data is in the data folder
 * and survives restarts; with `durable: false`, writes are faster and are lost in a crash. `port`
 * defaults to a free port. The caller must hold the data folder's lock: a server that a killed
 * launcher left running is stopped first. Calls `log` before slow steps. Throws an Error with the
 * end of `postgres.log` when the server does not start.
 */
export async function startPostgres(options: {
  dataFolder: string;
  durable?: boolean;
  port?: number;
  /** Default: 127.0.0.1. */
  host?: string;
  /** Further settings of the server. */
  settings?: Readonly<Record<string, string>>;
  /** The connections that it allows. Default: 300. */
  connections?: number;
  log?: (message: string) => void;
}): Promise<EmbeddedPostgres> {
  const { durable = true, connections = defaultConnections, log = () => {} } = options;
  const { host = "127.0.0.1" } = options;
  await mkdir(options.dataFolder, { recursive: true });
  const dataFolder = await realpath(options.dataFolder);
  const binaries = await findPostgres();
  const cluster = await chooseClusterFolder(dataFolder);
  const passwordFile = join(dataFolder, "postgres.password");
  const password = await readPassword(passwordFile);
  if (await isInitialized(cluster)) {
    if (await stopOrphan(cluster)) log("stopped the Postgres that an earlier start left running");
  } else {
    log(`creating the Postgres data in ${cluster}`);
    await initializeCluster({ binaries, cluster, user, password });
  }
  const port = options.port ?? (await freePort(host));
  const urlOf = (name: string) =>
    `postgresql://${user}:${password}@${bracketed(host)}:${port}/${name}`;
  const server = await startServer({
    name: "the embedded Postgres",
    command: join(binaries, "bin", "postgres"),
    args: ["-D", cluster, ...settings({ host, port, connections, durable }, options.settings)],
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

/**
 * Creates a database on the server of `url` unless it exists, or the server is a standby. Resolves with
 * its URL.
 */
export async function createDatabase(url: string, name: string): Promise<string> {
  await runStatement(url, `CREATE DATABASE ${pg.escapeIdentifier(name)}`).catch((error) => {
    if (!isPresent.has((error as pg.DatabaseError).code ?? "")) throw error;
  });
  const own = new URL(url);
  own.pathname = `/${encodeURIComponent(name)}`;
  return own.toString();
}

/** Drops a database, if it exists, and ends its sessions. `url` must name another database. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await runStatement(url, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
}

interface ServerSettings {
  host: string;
  port: number;
  connections: number;
  durable: boolean;
}

function settings(
  { host, port, connections, durable }: ServerSettings,
  more: Readonly<Record<string, string>> = {},
): string[] {
  const values = {
    port,
    listen_addresses: host,
    unix_socket_directories: "",
    max_connections: connections,
    shared_buffers: "128MB",
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
    ...more,
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

async function readPassword(file: string): Promise<string> {
  const existing = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "";
  });
  if (existing !== "") return existing;
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
 * Resolves with whether the server accepts connections. Throws when it refuses the password, with
 * what to do about it.
 */
async function canConnect(
  url: string,
  { passwordFile, cluster }: { passwordFile: string; cluster: string },
): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  // A server that exits during the attempt causes an error event outside any call.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    if ((error as pg.DatabaseError).code !== invalidPassword) return false;
    throw new Error(
      `the embedded Postgres refuses the password in ${passwordFile}: restore the one with which ` +
        `the data in ${cluster} was created, or remove that data to start over`,
    );
  }
}
