import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, realpath, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { connect } from "nats";
import { freePort } from "./free-port.ts";
import { findNatsServer } from "./nats-binary.ts";
import { commandOf, isAlive } from "./process-table.ts";
import { startServer, stopProcess } from "./server-process.ts";

const readyTimeoutMs = 15_000;
const connectTimeoutMs = 1_000;
const stopSignals = ["SIGTERM", "SIGINT"] as const;

export interface NatsServer {
  url: string;
  pid: number;
  /** Ends the server and waits until it is gone. */
  stop(): Promise<void>;
}

/**
 * Runs a NATS server with JetStream on 127.0.0.1. Its streams are kept in `storeFolder`, in the
 * data folder when it is left out, and outlive restarts. The data folder must be this launcher's
 * alone: a server that a killed launcher left on it is stopped first. Raises an Error when the port
 * is taken, when there is no NATS server to be had, and, with the end of `nats-server.log`, when it
 * does not start.
 */
export async function startNatsServer(options: {
  dataFolder: string;
  /** A free one when it is left out, or 0. */
  port?: number;
  storeFolder?: string;
}): Promise<NatsServer> {
  const command = await findNatsServer();
  const dataFolder = await makeFolder(options.dataFolder);
  const store = await makeFolder(options.storeFolder ?? join(dataFolder, "nats"));
  const pidFile = join(dataFolder, "nats-server.pid");
  await stopOrphan(pidFile);
  if (options.port) await requireFree(options.port);
  const port = options.port || (await freePort());
  const url = `nats://127.0.0.1:${port}`;
  const name = `tollgate-${randomUUID()}`;
  const address = ["--addr", "127.0.0.1", "--port", String(port)];
  const server = await startServer({
    name: "nats-server",
    command,
    args: ["--jetstream", "--store_dir", store, ...address, "--name", name, "--pid", pidFile],
    cwd: dataFolder,
    logFile: join(dataFolder, "nats-server.log"),
    stopSignals,
    readyTimeoutMs,
    isReady: () => answers(url, name),
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

async function makeFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return realpath(path);
}

/** The id in the file may have been given to another program since: its command line tells. */
async function stopOrphan(pidFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, "utf8").catch(() => "0"));
  if (!(pid > 0) || !isAlive(pid)) return;
  if ((await commandOf(pid))?.includes(pidFile)) await stopProcess(pid, stopSignals);
}

async function requireFree(port: number): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, "127.0.0.1");
    await once(probe, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "is taken" : `cannot be used (${code})`;
    throw new Error(`port ${port} of 127.0.0.1 ${reason}: nats-server needs another one`);
  }
  probe.close();
  await once(probe, "close");
}

/** By its name: should somebody else's server have taken the port since, it answers as well. */
async function answers(url: string, name: string): Promise<boolean> {
  try {
    const connection = await connect({ servers: url, timeout: connectTimeoutMs, reconnect: false });
    const isOurs = connection.info?.server_name === name;
    await connection.close();
    return isOurs;
  } catch {
    return false;
  }
}
