import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { bracketed } from "@tollgate/core/listen-host";
import { natsAddress } from "@tollgate/runtime/broker/nats-address";
import { connect } from "nats";
import { freePort } from "./free-port.ts";
import { findNatsServer } from "./nats-binary.ts";
import { commandLineOf, isAlive } from "./process-table.ts";
import { startServer, stopProcess } from "./server-process.ts";

const readyTimeoutMs = 15_000;
const connectTimeoutMs = 1_000;
const stopSignals = ["SIGTERM", "SIGINT"] as const;

export interface NatsServer {
  url: string;
  pid: number;
  /** Stops the server and waits for its exit. */
  stop(): Promise<void>;
}

/**
 * Starts a NATS server with JetStream. Streams are stored in `storeFolder` (default
 * `nats` in the data folder) and survive restarts. The caller must hold the data folder's lock: a
 * server that a killed launcher left running is stopped first. Throws when the port is in use, when
 * no NATS server can be found, and, with the end of `nats-server.log`, when it does not start.
 */
export async function startNatsServer(options: {
  dataFolder: string;
  /** A free port by default, or when 0. */
  port?: number;
  /** Default: 127.0.0.1. */
  host?: string;
  /** The files of its certificate. With it, connections are encrypted. */
  tls?: { cert: string; key: string };
  storeFolder?: string;
}): Promise<NatsServer> {
  const { host = "127.0.0.1", tls } = options;
  const command = await findNatsServer();
  const dataFolder = await makeFolder(options.dataFolder);
  const store = await makeFolder(options.storeFolder ?? join(dataFolder, "nats"));
  const pidFile = join(dataFolder, "nats-server.pid");
  await stopOrphan(pidFile);
  if (options.port) await requireFree(options.port, host);
  const port = options.port || (await freePort(host));
  const { configFile, user, password } = await prepareCredentials(dataFolder);
  const url = `${tls === undefined ? "nats" : "tls"}://${user}:${password}@${bracketed(host)}:${port}`;
  const name = `tollgate-${randomUUID()}`;
  const address = ["--addr", host, "--port", String(port)];
  const server = await startServer({
    name: "nats-server",
    command,
    args: [
      ...(tls === undefined ? [] : ["--tls", "--tlscert", tls.cert, "--tlskey", tls.key]),
      ...["--config", configFile, "--jetstream", "--store_dir", store],
      ...[...address, "--name", name, "--pid", pidFile],
    ],
    cwd: dataFolder,
    logFile: join(dataFolder, "nats-server.log"),
    stopSignals,
    readyTimeoutMs,
    isReady: () => responds(url, name),
  });
  return {
    url,
    pid: server.pid,
    async stop() {
      await server.stop();
      await rm(pidFile, { force: true });
    },
  };
}

/**
 * Returns the credentials of the server in a data folder, and the file that only its owner can read
 * from which it takes them. They last, so that processes can connect again to a server that restarts.
 */
async function prepareCredentials(dataFolder: string) {
  const configFile = join(dataFolder, "nats-server.conf");
  const user = "tollgate";
  const stored = await readFile(configFile, "utf8").catch(() => "");
  const found = /password: "([\w-]+)"/.exec(stored)?.[1];
  const password = found ?? randomBytes(32).toString("base64url");
  const config = `authorization { user: "${user}", password: "${password}" }\n`;
  if (found === undefined) await writeFile(configFile, config, { mode: 0o600 });
  return { configFile, user, password };
}

async function makeFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return realpath(path);
}

/** Checks the command line, because another program may have the process id now. */
async function stopOrphan(pidFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, "utf8").catch(() => "0"));
  if (!(pid > 0) || !isAlive(pid)) return;
  if ((await commandLineOf(pid))?.includes(pidFile)) await stopProcess(pid, stopSignals);
}

async function requireFree(port: number, host: string): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "is in use" : `cannot be used (${code})`;
    throw new Error(`port ${port} of ${host} ${reason}: choose another port for nats-server`);
  }
  probe.close();
  await once(probe, "close");
}

/** Checks the server's name, because another NATS server could be listening on the port. */
async function responds(url: string, name: string): Promise<boolean> {
  try {
    const options = { timeout: connectTimeoutMs, reconnect: false };
    const connection = await connect({ ...natsAddress(url), ...options });
    const isOurs = connection.info?.server_name === name;
    await connection.close();
    return isOurs;
  } catch {
    return false;
  }
}
