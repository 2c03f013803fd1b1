import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether a process has this id and has not ended. One that only waits to be collected has. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return linuxStatus(pid)?.state !== "Z";
}

/**
 * Tells a process from a later one that was given the same id. Undefined where the system does not
 * say, and when there is no such process.
 */
export async function startMark(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return linuxStatus(pid)?.startTicks;
  return askPs(pid, "lstart=");
}

/** The command line of a process. Undefined as for `startMark`. */
export async function commandOf(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") return askPs(pid, "command=");
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return line.replaceAll("\0", " ").trim() || undefined;
}

function linuxStatus(pid: number): { state: string; startTicks: string } | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name, in brackets, may hold anything; the fields behind it start with the
    // third.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startTicks: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

async function askPs(pid: number, field: string): Promise<string | undefined> {
  const { stdout } = await run("ps", ["-o", field, "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return stdout.trim() || undefined;
}
