import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Longer than a service takes by default, at most 38 seconds, so that the service ends by itself. */
const stopTimeoutMs = 45_000;
/** How much of its error output is reported when the process exits early. */
const maxOutputCharacters = 10_000;

/** A launcher that exits without stopping its children, as after a crash, must not leave them. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGTERM");
});

/** A child process that runs one of our programs. */
export interface Child {
  name: string;
  pid: number;
  /** The message that it sent when it was ready. */
  ready: { url?: string; consoleUrl?: string };
  /** Resolves with the exit code, or with the signal that ended the process. */
  exited: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM and waits for the exit; sends SIGKILL after the timeout. */
  stop(): Promise<void>;
}

export interface ChildProgram {
  /** What errors call the process. */
  name: string;
  file: URL;
  args?: readonly string[];
  nodeFlags?: readonly string[];
}

/**
 * Starts a TypeScript program with the current Node. Resolves when the program reports over IPC
 * that it is ready; rejects with its output when it exits before that. It runs in its own process
 * group, so that Ctrl-C signals only the launcher.
 */
export async function startChild(
  { name, file, args = [], nodeFlags = [] }: ChildProgram,
  env: NodeJS.ProcessEnv,
): Promise<Child> {
  const child = spawn(process.execPath, [...nodeFlags, fileURLToPath(file), ...args], {
    env,
    detached: true,
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let output = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    if (output.length < maxOutputCharacters) output += chunk.toString("utf8");
    process.stderr.write(chunk);
  });
  const exited = once(child, "exit").then(([code, signal]) => (signal ?? code) as number | string);
  const ready = once(child, "message").then(([message]) => message as Child["ready"]);
  const early = exited.then((code) => {
    throw new Error(`${name} exited (${code}) before it was ready: ${output.trim()}`);
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
