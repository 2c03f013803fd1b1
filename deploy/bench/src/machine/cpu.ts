import { readdirSync, readFileSync } from "node:fs";

/** Linux reports CPU time in hundredths of a second (USER_HZ). */
const ticksPerSecond = 100;

/**
 * Returns the CPU seconds that processes and their children have used, including children that have
 * exited. Returns 0 without /proc.
 */
export function cpuSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of familyOf(pids)) ticks += ticksOf(pid);
  return ticks / ticksPerSecond;
}

/**
 * Returns the CPU milliseconds that running processes and their children have used. It is precise
 * enough for work shorter than a tick, but excludes exited children. Returns 0 without /proc.
 */
export function cpuMs(pids: readonly number[]): number {
  let sum = 0;
  for (const pid of familyOf(pids)) {
    for (const thread of list(`/proc/${pid}/task`)) {
      sum += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]);
    }
  }
  return sum / 1_000_000;
}

/** Returns the processes and their children. */
export function familyOf(pids: readonly number[]): ReadonlySet<number> {
  const family = new Set(pids);
  for (const [pid, parent] of parentsOf()) if (family.has(parent)) family.add(pid);
  return family;
}

function parentsOf(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of list("/proc")) {
    const pid = Number(name);
    if (pid > 0) parents.set(pid, Number(fieldsOf(pid)[1] ?? 0));
  }
  return parents;
}

function ticksOf(pid: number): number {
  const fields = fieldsOf(pid);
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
}

/** Returns the fields of `/proc/PID/stat` after the program's name. */
function fieldsOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Returns an empty string when the process has exited. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
