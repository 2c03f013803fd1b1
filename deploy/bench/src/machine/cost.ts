import { setTimeout as sleep } from "node:timers/promises";
import type { Subject } from "../subjects/subject.ts";
import type { Testbed } from "../subjects/testbed.ts";
import { cpuSeconds } from "./cpu.ts";
import { residentMebibytes } from "./resident-memory.ts";

/** The gateway's work after its last response counts, too: this is the time it gets for it. */
const settleMs = 300;
const sampleMs = 250;

export interface Processes {
  gateway: readonly number[];
  /** Postgres and the broker. */
  stores: readonly number[];
  simulator: number;
}

/** Returns the processes of a subject that uses no store but Postgres. */
export function processesOf({ pids }: Subject, { postgres, provider }: Testbed): Processes {
  return { gateway: pids, stores: [postgres.pid], simulator: provider.pid };
}

/** The CPU time and the memory that some work took. */
export interface Cost {
  gatewayCpuMs: number;
  storesCpuMs: number;
  simulatorCpuMs: number;
  /** The CPU time of this process, which creates the load. */
  loadCpuMs: number;
  peakMebibytes: number;
}

/** Runs `work` and resolves with its result and its cost. */
export async function measureCost<T>(
  processes: Processes,
  work: () => Promise<T>,
): Promise<{ result: T; cost: Cost }> {
  let peakMebibytes = 0;
  const watch = setInterval(() => {
    peakMebibytes = Math.max(peakMebibytes, residentMebibytes(processes.gateway));
  }, sampleMs);
  const before = readClocks(processes);
  try {
    const result = await work();
    const loadCpuMs = process.cpuUsage(before.load);
    await sleep(settleMs);
    const after = readClocks(processes);
    return {
      result,
      cost: {
        gatewayCpuMs: (after.gateway - before.gateway) * 1_000,
        storesCpuMs: (after.stores - before.stores) * 1_000,
        simulatorCpuMs: (after.simulator - before.simulator) * 1_000,
        loadCpuMs: (loadCpuMs.user + loadCpuMs.system) / 1_000,
        peakMebibytes,
      },
    };
  } finally {
    clearInterval(watch);
  }
}

function readClocks({ gateway, stores, simulator }: Processes) {
  return {
    gateway: cpuSeconds(gateway),
    stores: cpuSeconds(stores),
    simulator: cpuSeconds([simulator]),
    load: process.cpuUsage(),
  };
}
