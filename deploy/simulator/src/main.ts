import { startSimulator } from "./simulator.ts";

/**
 * Runs a simulator as a program. It listens on `SIMULATOR_PORT` (default 0, a free port) of
 * `SIMULATOR_HOST` (default 127.0.0.1; `*` for all addresses of the machine). With `SIMULATOR_END_WITH_PARENT=1` it exits when its
 * standard input or its IPC channel closes. Once it listens, it prints one line:
 * `{"url":"http://…"}`.
 */
async function main(): Promise<void> {
  const port = readPort(process.env.SIMULATOR_PORT);
  const host = process.env.SIMULATOR_HOST || "127.0.0.1";
  const simulator = await startSimulator({ port, host });
  const stop = async () => {
    await simulator.close();
    process.exit(0);
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  if (process.env.SIMULATOR_END_WITH_PARENT === "1") {
    process.once("disconnect", stop);
    process.stdin.once("end", stop).once("error", stop).resume();
  }
  process.stdout.write(`${JSON.stringify({ url: simulator.url })}\n`);
}

/**
 * Kubernetes sets `SIMULATOR_PORT=tcp://ADDRESS:PORT` in the pods of a namespace that has a Service
 * named simulator.
 */
const serviceLink = /^tcp:\/\/.*:(?=\d+$)/;

function readPort(text = ""): number {
  const port = Number(text.replace(serviceLink, ""));
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`SIMULATOR_PORT must be a port number, not ${text}`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`simulator: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
