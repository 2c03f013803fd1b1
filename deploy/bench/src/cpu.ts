import { readdirSync, readFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second for every program. */
const ticksPerSecond = 100;

/**
 * CPU-seconds that processes and their children used so far, those of ended children included.
 * Zero where there is no /proc.
 */
export function cpuSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of familyOf(pids)) ticks += ticksOf(pid);
  return ticks / ticksPerSecond;
}

/**
 * CPU-milliseconds that processes and their children used so far, without those that ended: for
 * work that is over before a hundredth of a second is. Zero where there is no /proc.
 */
export function cpuMs(pids: readonly number[]): number {
  let sum = 0;
  for (const pid of familyOf(pids)) {
    for (const thread of list(`/proc/${pid}/task`)) sum += threadCpuMs(pid, thread);
  }
  return sum;
}

/** The same of one process's first thread alone, where all JavaScript runs and others wait for. */
export function mainThreadCpuMs(pid: number): number {
  return threadCpuMs(pid, String(pid));
}

function threadCpuMs(pid: number, thread: string): number {
  return Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / 1_000_000;
}

function familyOf(pids: readonly number[]): ReadonlySet<number> {
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

/** The fields of `/proc/PID/stat` behind the program's name. */
function fieldsOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Empty for a process that has ended. */
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
