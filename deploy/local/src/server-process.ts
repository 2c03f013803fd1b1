import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile, stat, truncate } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "./data-folder.ts";

const maxLogBytes = 5 * 1024 * 1024;
const stopTimeoutMs = 15_000;
const pollMs = 20;

export interface ServerProcess {
  pid: number;
  stop(): Promise<void>;
}

export interface ServerOptions {
  name: string;
  command: string;
  args: readonly string[];
  logFile: string;
  uid?: number | undefined;
  /** Asks it to shut down without waiting for its clients. */
  stopSignal: NodeJS.Signals;
  readyTimeoutMs: number;
  /** Whether it answers; asked again and again until it does. */
  isReady(): Promise<boolean>;
}

/**
 * Starts a server of somebody else's in a process group of its own, so that Ctrl-C reaches only the
 * launcher, which then stops it in its turn. Raises an Error with the end of its log when it ends
 * early, or is not ready in time.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  await trimLog(options.logFile);
  const log = openSync(options.logFile, "a");
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ["ignore", log, log],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  closeSync(log);
  const exited = once(child, "exit").then(() => true);
  exited.catch(() => {});
  const endWithLauncher = () => void child.kill(options.stopSignal);
  process.once("exit", endWithLauncher);
  try {
    await waitUntilReady(child, options);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return {
    pid: child.pid as number,
    async stop() {
      process.removeListener("exit", endWithLauncher);
      await stopProcess(child.pid as number, options.stopSignal);
    },
  };
}

/** Ends a process, by force if it takes too long. One that is gone already is fine. */
export async function stopProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  sendSignal(pid, signal);
  const deadline = performance.now() + stopTimeoutMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) sendSignal(pid, "SIGKILL");
    await sleep(pollMs);
  }
}

async function waitUntilReady(child: ChildProcess, options: ServerOptions): Promise<void> {
  const deadline = performance.now() + options.readyTimeoutMs;
  while (!(await options.isReady())) {
    const ended = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    if (ended || performance.now() > deadline) {
      const lines = (await readFile(options.logFile, "utf8")).trim().split("\n").slice(-3);
      const what = ended ? "ended before it was ready" : "was not ready in time";
      throw new Error(`${options.name} ${what}: ${lines.join(" | ")}`);
    }
    await sleep(pollMs);
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, which is what was asked for.
  }
}

async function trimLog(file: string): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size > maxLogBytes) await truncate(file);
}
