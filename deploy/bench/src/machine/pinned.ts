import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { familyOf } from "./cpu.ts";

const cores = availableParallelism();

/**
 * Runs `work` with some processes on the first core, and others, with this one, on the rest: where both
 * share cores, the time that a gateway adds is also the time that it waits for the load. Without
 * `taskset`, or with one core, all run where they do.
 */
export async function pinned<T>(
  { first, others }: { first: readonly number[]; others: readonly number[] },
  work: () => Promise<T>,
): Promise<T> {
  if (cores < 2) return work();
  // The children of this process are the gateways.
  const rest = [...familyOf(others), process.pid];
  place(familyOf(first), "0");
  place(rest, `1-${cores - 1}`);
  try {
    return await work();
  } finally {
    place([...familyOf(first), ...rest], `0-${cores - 1}`);
  }
}

/** Moves all threads of processes, some of which may have ended. */
function place(pids: Iterable<number>, cpus: string): void {
  for (const pid of pids) {
    spawnSync("taskset", ["-a", "-c", "-p", cpus, String(pid)], { stdio: "ignore" });
  }
}
