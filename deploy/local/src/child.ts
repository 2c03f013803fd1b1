import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Longer than a service's own grace, so that it is the service that decides. */
const stopTimeoutMs = 30_000;

/** A program of ours that runs beside this one. */
export interface Child {
  name: string;
  pid: number;
  /** What it said when it was ready. */
  ready: { url?: string };
  /** Resolves with its exit code, or with the signal that ended it. */
  exited: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
  /** Asks it to end, and waits. */
  stop(): Promise<void>;
}

/**
 * Starts a TypeScript program with the Node that runs this one. Resolves when it says over IPC that
 * it is ready; raises an Error with what it wrote when it ends before that. It gets a process group
 * of its own, so that Ctrl-C reaches this launcher alone.
 */
export async function startChild(
  name: string,
  file: URL,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Child> {
  const child = spawn(process.execPath, [fileURLToPath(file), ...args], {
    env,
    detached: true,
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  let said = "";
  child.stderr?.on("data", (part: Buffer) => {
    if (said.length < 10_000) said += part.toString("utf8");
    process.stderr.write(part);
  });
  const exited = once(child, "exit").then(([code, signal]) => (signal ?? code) as number | string);
  const ready = once(child, "message").then(([message]) => message as { url?: string });
  const early = exited.then((code) => {
    throw new Error(`${name} ended (${code}) before it was ready: ${said.trim()}`);
  });
  const message = await Promise.race([ready, early]);
  early.catch(() => {});
  return {
    name,
    pid: child.pid as number,
    ready: message,
    exited,
    kill: (signal) => void child.kill(signal),
    stop: () => stopChild(child, exited),
  };
}

async function stopChild(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
  await exited;
  clearTimeout(force);
}
