import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile, rename, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "./process-table.ts";

const maxLogBytes = 5 * 1024 * 1024;
/** How long a server may take over each signal before the next, harder one is sent. */
const stopTimeoutMs = 10_000;
const pollMs = 20;
const shownLogLines = 5;

export interface ServerProcess {
  pid: number;
  /** Ends the server and waits until it is gone. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  name: string;
  command: string;
  args: readonly string[];
  /** One that `uid` can enter. */
  cwd: string;
  /** What the server writes is added to it; one that has grown large is put aside first. */
  logFile: string;
  uid?: number | undefined;
  /**
   * What ends it without waiting for its clients, the gentlest first. SIGKILL is the last resort.
   */
  stopSignals: readonly [NodeJS.Signals, ...NodeJS.Signals[]];
  readyTimeoutMs: number;
  /** Whether it answers; asked again and again until it does. What it raises ends the start. */
  isReady(): Promise<boolean>;
}

/**
 * Starts a server of somebody else's in a process group of its own, so that Ctrl-C reaches only the
 * launcher, which then stops it in its turn; should the launcher just end, the server is told to.
 * Raises an Error with the end of its log when it ends early, or is not ready in time.
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
      await stopProcess(child.pid, options.stopSignals, () => ended(child));
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
 * Ends a process: by the first signal, else by one after the other. One that is gone already is
 * fine. Raises an Error for one that even SIGKILL does not end.
 */
export async function stopProcess(
  pid: number,
  signals: readonly NodeJS.Signals[],
  isGone: () => boolean = () => !isAlive(pid),
): Promise<void> {
  for (const signal of [...signals, "SIGKILL"] as const) {
    if (isGone()) return;
    sendSignal(pid, signal);
    const deadline = performance.now() + stopTimeoutMs;
    while (!isGone() && performance.now() < deadline) await sleep(pollMs);
  }
  if (!isGone()) throw new Error(`process ${pid} does not end`);
}

/** Resolves with what is wrong, or with nothing once the server answers. */
async function waitUntilReady(
  child: ChildProcess,
  { isReady, readyTimeoutMs }: ServerOptions,
): Promise<string | undefined> {
  const deadline = performance.now() + readyTimeoutMs;
  // A command that cannot be run has no id; the error that says why comes a moment later.
  if (child.pid === undefined) await once(child, "close").catch(() => {});
  while (!ended(child)) {
    if ((await isReady()) && !ended(child)) return undefined;
    if (performance.now() > deadline) return "was not ready in time";
    await sleep(pollMs);
  }
  return "ended before it was ready";
}

function ended(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Keys of providers and the like are no business of these servers. */
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

/** Answers where in the file, in bytes, the coming run's lines begin. */
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
  const said = (await readFile(file)).subarray(start).toString("utf8").trim();
  return said.split("\n").slice(-shownLogLines).join(" | ") || `see ${file}`;
}
