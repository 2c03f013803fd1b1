import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { StartError } from "@tollgate/core/errors";
import { everyHost, listenHost } from "@tollgate/core/listen-host";
import { Pauses } from "@tollgate/core/pauses";
import type { Child } from "./child.ts";
import { freePort, isPortFree } from "./free-port.ts";
import { defaultConnections } from "./postgres.ts";
import { startTargetProcess } from "./target-process.ts";

const main = new URL(import.meta.resolve("@tollgate/program/main"));
const maxWorkers = 256;
/** How long the launcher waits before it replaces a worker that has died. */
const replaceAfterMs = 500;

/** Postgres connections of one process, with the defaults of its services and some of the operator's. */
const connectionsOfWorker = 60;

/** Several processes that run the complete gateway and share a port, a database and a spool. */
export interface Workers {
  url: string;
  /** Where browsers reach the console; undefined where it is disabled. */
  consoleUrl: string | undefined;
  pids(): number[];
  stop(): Promise<void>;
}

export interface WorkersOptions {
  count: number;
  /** The address at which the first worker serves the operator's commands. */
  operatorAddress: string;
  /** Called whenever the first worker has created the socket of that address. */
  onOperatorSocket?(): Promise<void>;
}

/**
 * Returns the number that `--workers` means: `auto` is one for each core. Throws a StartError for
 * anything else than a number from 1 to 256.
 */
export function workerCount(text: string): number {
  const count = text === "auto" ? availableParallelism() : Number(text);
  if (/^(auto|\d+)$/.test(text) && count >= 1 && count <= maxWorkers) return count;
  throw new StartError(`--workers ${text}: must be auto or a number from 1 to ${maxWorkers}`);
}

/** Returns how many connections the Postgres of so many workers must allow. */
export function connectionsOf(workers: number): number {
  return Math.max(defaultConnections, workers * connectionsOfWorker);
}

/**
 * Starts the workers: the first one alone, because it applies the migrations, and serves the
 * operator's commands and the console. A worker that dies is replaced; the spool's next reader
 * delivers what it left there. Throws an Error where one does not start.
 */
export async function startWorkers(
  env: NodeJS.ProcessEnv,
  options: WorkersOptions,
): Promise<Workers> {
  if (process.platform !== "linux") {
    throw new StartError(
      "--workers: only Linux distributes the connections of a port; use --fleet",
    );
  }
  const host = listenHost(env.HOST || everyHost);
  const port = Number(env.PORT || 8_080) || (await freePort());
  // The workers share the port, and would share it with another program's as well.
  if (!(await isPortFree(port, host))) {
    throw new StartError(`port ${port} is taken: stop what uses it, or set PORT to another`);
  }
  const running: Child[] = [];
  const stopping = new AbortController();

  async function start(index: number): Promise<Child> {
    const child = await startWorker(index, { ...env, PORT: String(port) }, options);
    running[index] = child;
    void child.exited.then((code) => replace(index, code));
    return child;
  }

  async function replace(index: number, code: number | string): Promise<void> {
    if (stopping.signal.aborted) return;
    process.stderr.write(`tollgate: worker ${index + 1} has ended (${code}), and is replaced\n`);
    const pauses = new Pauses({ firstMs: replaceAfterMs, signal: stopping.signal });
    while (await pauses.next().catch(() => false)) {
      const child = await start(index).catch(report);
      if (child === undefined) continue;
      if (stopping.signal.aborted) await child.stop();
      return;
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await Promise.all(running.map((child) => child.stop()));
  }

  try {
    const first = await start(0);
    const others = Array.from({ length: options.count - 1 }, (_, index) => start(index + 1));
    const started = await Promise.allSettled(others);
    for (const result of started) if (result.status === "rejected") throw result.reason;
    const { url = "", consoleUrl } = first.ready;
    return { url, consoleUrl, pids: () => running.map(({ pid }) => pid), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startWorker(
  index: number,
  env: NodeJS.ProcessEnv,
  { operatorAddress, onOperatorSocket }: WorkersOptions,
): Promise<Child> {
  const isFirst = index === 0;
  const socket = /^unix:(.+)/.exec(operatorAddress)?.[1];
  // A worker that was killed leaves its socket behind.
  if (isFirst && socket !== undefined) await rm(socket, { force: true });
  const program = { main, target: "all", name: `worker ${index + 1}` };
  const child = await startTargetProcess(program, {
    ...env,
    TOLLGATE_SHARE_PORT: "on",
    TOLLGATE_LISTEN: isFirst ? operatorAddress : "",
    TOLLGATE_OPERATIONS_LISTEN: portPlus(env.TOLLGATE_OPERATIONS_LISTEN ?? "", index),
    ...(isFirst ? {} : { TOLLGATE_CONSOLE_LISTEN: "", TOLLGATE_WEBHOOK_LISTEN: "" }),
  });
  if (isFirst && socket !== undefined) await onOperatorSocket?.();
  return child;
}

/** Returns the address with a port that is `index` higher: each worker has metrics of its own. */
function portPlus(address: string, index: number): string {
  return address.replace(/\d+$/, (port) => String(Number(port) + index));
}

function report(error: unknown): undefined {
  process.stderr.write(`tollgate: ${(error as Error).message}\n`);
}
