import { readdirSync, readFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second for every program. */
const ticksPerSecond = 100;

/**
 * CPU-seconds that processes and their children used so far, those of ended children included.
 * Zero where there is no /proc.
 */
export function cpuSeconds(pids: readonly number[]): number {
  const parents = parentsOf();
  const family = new Set(pids);
  for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  let ticks = 0;
  for (const pid of family) ticks += ticksOf(pid);
  return ticks / ticksPerSecond;
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
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
