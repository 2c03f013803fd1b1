import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { connect } from "nats";
import { isAlive } from "./data-folder.ts";
import { freePort } from "./free-port.ts";
import { findNatsServer } from "./nats-binary.ts";
import { startServer, stopProcess } from "./server-process.ts";

const readyTimeoutMs = 15_000;

export interface NatsServer {
  url: string;
  stop(): Promise<void>;
}

/** Runs a NATS server with JetStream on 127.0.0.1, its streams kept in the data folder. */
export async function startNatsServer(options: {
  dataFolder: string;
  /** A free one when it is left out. */
  port?: number;
}): Promise<NatsServer> {
  const dataFolder = resolve(options.dataFolder);
  const command = await findNatsServer();
  const pidFile = join(dataFolder, "nats-server.pid");
  const orphan = Number(await readFile(pidFile, "utf8").catch(() => "0"));
  if (orphan > 0 && isAlive(orphan)) await stopProcess(orphan, "SIGTERM");
  const port = options.port ?? (await freePort());
  const url = `nats://127.0.0.1:${port}`;
  const store = join(dataFolder, "nats");
  await mkdir(store, { recursive: true });
  const server = await startServer({
    name: "nats-server",
    command,
    args: ["--jetstream", "--store_dir", store, "--addr", "127.0.0.1", "--port", String(port)],
    logFile: join(dataFolder, "nats-server.log"),
    stopSignal: "SIGTERM",
    readyTimeoutMs,
    isReady: () => canConnect(url),
  });
  await writeFile(pidFile, String(server.pid));
  return { url, stop: server.stop };
}

async function canConnect(url: string): Promise<boolean> {
  try {
    const connection = await connect({ servers: url, timeout: 1_000, reconnect: false });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}
