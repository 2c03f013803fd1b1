import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile, rename, stat } from "node:fs/promises";
import { Pauses } from "@tollgate/core/pauses";
import { isAlive } from "./process-table.ts";

const maxLogBytes = 5 * 1024 * 1024;
/** How long a server may take to end after each signal before the next one is sent. */
const stopTimeoutMs = 10_000;
const pollMs = 20;
const shownLogLines = 5;

export interface ServerProcess {
  pid: number;
  /** Stops the server and waits for its exit. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  name: string;
  command: string;
  args: readonly string[];
  /** A folder that `uid` can enter. */
  cwd: string;
  /** The server's output is appended to it. A large file is rotated first. */
  logFile: string;
  uid?: number | undefined;
  /**
   * The signals that stop the server without waiting for its clients, the gentlest first. SIGKILL
   * follows them.
   */
  stopSignals: readonly [NodeJS.Signals, ...NodeJS.Signals[]];
  readyTimeoutMs: number;
  /** Resolves with whether the server responds. Polled until it does; an error fails the start. */
  isReady(): Promise<boolean>;
}

/**
 * Starts a third-party server in its own process group, so that Ctrl-C signals only the launcher,
 * which then stops the server in order. If the launcher exits without stopping it, the server is
 * signalled. Throws an Error with the end of the log when the server exits early, or is not ready
 * in time.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const logStart = await rotateLog(options.logFile);
  const log = openSync(options.logFile, "a", 0o600);
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    detached: true,
    env: serverEnv(),
    stdio: ["ignore", log, log],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  closeSync(log);
  let failure: Error | undefined;
  child.on("error", (error) => {
    failure = error;
  });
  const endWithLauncher = () => void child.kill(options.stopSignals[0]);
  process.once("exit", endWithLauncher);
  const stop = async () => {
    if (child.pid !== undefined)
      await stopProcess(child.pid, options.stopSignals, () => hasExited(child));
    process.removeListener("exit", endWithLauncher);
  };
  try {
    const problem = await waitUntilReady(child, options);
    if (problem === undefined) return { pid: child.pid as number, stop };
    const why = failure?.message ?? (await logSince(options.logFile, logStart));
    throw new Error(`${options.name} ${problem}: ${why}`);
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Stops a process with the given signals, one after the other, then with SIGKILL. Does nothing when
 * it has ended already. Throws when even SIGKILL does not end it.
 */
export async function stopProcess(
  pid: number,
  signals: readonly NodeJS.Signals[],
  hasEnded: () => boolean = () => !isAlive(pid),
): Promise<void> {
  for (const signal of [...signals, "SIGKILL"] as const) {
    if (hasEnded()) return;
    sendSignal(pid, signal);
    const polls = new Pauses({ firstMs: pollMs, forMs: stopTimeoutMs });
    while (!hasEnded() && (await polls.next()));
  }
  if (!hasEnded()) throw new Error(`process ${pid} does not exit`);
}

/** Resolves with the problem, or with undefined once the server is ready. */
async function waitUntilReady(
  child: ChildProcess,
  { isReady, readyTimeoutMs }: ServerOptions,
): Promise<string | undefined> {
  const polls = new Pauses({ firstMs: pollMs, forMs: readyTimeoutMs });
  // A command that cannot be run has no process id; its error event follows.
  if (child.pid === undefined) await once(child, "close").catch(() => {});
  while (!hasExited(child)) {
    if ((await isReady()) && !hasExited(child)) return undefined;
    if (!(await polls.next())) return "was not ready in time";
  }
  return "exited before it was ready";
}

function hasExited(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Passes only a few variables on: these servers must not see providers' keys. */
function serverEnv(): NodeJS.ProcessEnv {
  if (process.platform === "win32") return process.env;
  const { HOME, PATH, TMPDIR, TZ } = process.env;
  const known = Object.entries({ HOME, PATH, TMPDIR, TZ }).filter(([, value]) => value);
  return { ...Object.fromEntries(known), LC_ALL: "C" };
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Resolves with the offset, in bytes, at which the lines of this run will begin. */
async function rotateLog(file: string): Promise<number> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= maxLogBytes) return size;
  await rename(file, `${file}.1`);
  return 0;
}

async function logSince(file: string, start: number): Promise<string> {
  const text = (await readFile(file)).subarray(start).toString("utf8").trim();
  return text.split("\n").slice(-shownLogLines).join(" | ") || `see ${file}`;
}
