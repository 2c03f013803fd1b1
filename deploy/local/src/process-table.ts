import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Returns whether a process with this id is running. A zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return linuxStatus(pid)?.state !== "Z";
}

/**
 * Resolves with the start time of a process, in a format that depends on the system. It
 * distinguishes the process from a later one with the same id. Undefined when the process does not
 * exist, or the system does not report it.
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return linuxStatus(pid)?.startTicks;
  return readFromPs(pid, "lstart=");
}

/** Resolves with the command line of a process. Undefined as for `processStartTime`. */
export async function commandLineOf(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") return readFromPs(pid, "command=");
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return line.replaceAll("\0", " ").trim() || undefined;
}

function linuxStatus(pid: number): { state: string; startTicks: string } | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets and may contain anything. The fields after
    // it start with the third.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startTicks: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

async function readFromPs(pid: number, field: string): Promise<string | undefined> {
  const { stdout } = await run("ps", ["-o", field, "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return stdout.trim() || undefined;
}
