import { type ChildProcess, spawn } from "node:child_process";
import { delimiter } from "node:path";

/** A command that exited with another code than 0. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** What it wrote to its standard output and error. */
  readonly output: string;

  constructor(command: string, code: number | string, output: string) {
    super(`${command} exited with ${code}: ${output.trim().slice(-1_000)}`);
    this.output = output;
  }
}

/** The folders of npm scripts are left out: they have an old Helm, with which the chart is rendered. */
const folders = (process.env.PATH ?? "").split(delimiter);
const isOfNpm = (folder: string) => /node_modules[\\/]/.test(folder);
const env = { ...process.env, PATH: folders.filter((name) => !isOfNpm(name)).join(delimiter) };

/** Runs a program, with `input` as its standard input. Resolves with its standard output. */
export function run(program: string, args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "pipe", env });
    const stdout = textOf(child.stdout);
    const stderr = textOf(child.stderr);
    child.stdin.on("error", () => {}).end(input);
    child.on("error", reject);
    child.on("close", async (code, signal) => {
      if (code === 0) {
        resolve(await stdout);
        return;
      }
      const command = [program, ...args].join(" ").slice(0, 120);
      const output = `${await stdout}\n${await stderr}`;
      reject(new CommandError(command, code ?? signal ?? "", output));
    });
  });
}

/** Starts a program whose standard input and output the caller uses. */
export function start(program: string, args: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], env });
}

/** Calls `check` once a second until it returns a value. Throws after `seconds`. */
export async function waitFor<T>(
  what: string,
  seconds: number,
  check: () => Promise<T | undefined>,
): Promise<T> {
  const until = Date.now() + seconds * 1_000;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (Date.now() > until) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}
