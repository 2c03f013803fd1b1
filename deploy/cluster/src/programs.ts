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

interface RunOptions {
  /** The standard input of the program. */
  input?: string | undefined;
  /** Ends the program when it is aborted. */
  signal?: AbortSignal | undefined;
}

/** The folders of npm scripts are left out: they have an old Helm, with which the chart is rendered. */
const folders = (process.env.PATH ?? "").split(delimiter);
const isOfNpm = (folder: string) => /node_modules[\\/]/.test(folder);
const env = { ...process.env, PATH: folders.filter((name) => !isOfNpm(name)).join(delimiter) };

/** Runs a program. Resolves with its standard output. */
export function run(
  program: string,
  args: readonly string[],
  { input = "", signal }: RunOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "pipe", env, signal });
    const stdout = textOf(child.stdout);
    const stderr = textOf(child.stderr);
    child.stdin.on("error", () => {}).end(input);
    child.on("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "ENOENT"
          ? new Error(`${program} is not installed, or not in PATH`)
          : (signal?.reason ?? error),
      ),
    );
    child.on("close", async (code, killedBy) => {
      if (code === 0) {
        resolve(await stdout);
        return;
      }
      const command = [program, ...args].join(" ").slice(0, 160);
      const output = `${await stdout}\n${await stderr}`;
      reject(new CommandError(command, code ?? killedBy ?? "", output));
    });
  });
}

/** Starts a program whose standard input and output the caller uses. */
export function start(
  program: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): ChildProcess {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], env, signal });
  // A program that cannot start, or that is aborted, has no further output.
  return child.on("error", () => {});
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}
