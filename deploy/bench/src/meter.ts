import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds } from "./cpu.ts";
import { residentMebibytes } from "./memory.ts";

/** What the gateway still does behind its last answer counts as well: it gets this long for it. */
const afterworkMs = 300;
const sampleMs = 250;

export interface Processes {
  gateway: readonly number[];
  /** Postgres and the broker. */
  stores: readonly number[];
  simulator: number;
}

/** In milliseconds. */
export interface Cost {
  gatewayCpuMs: number;
  storesCpuMs: number;
  simulatorCpuMs: number;
  /** Of this program, which makes the load. */
  loadCpuMs: number;
  peakMebibytes: number;
}

/** Does some work, and answers with what it gave what it took. */
export async function metered<T>(
  processes: Processes,
  work: () => Promise<T>,
): Promise<{ given: T; cost: Cost }> {
  let peakMebibytes = 0;
  const watch = setInterval(() => {
    peakMebibytes = Math.max(peakMebibytes, residentMebibytes(processes.gateway));
  }, sampleMs);
  const before = readClocks(processes);
  try {
    const given = await work();
    const loadCpuMs = process.cpuUsage(before.load);
    await sleep(afterworkMs);
    const after = readClocks(processes);
    return {
      given,
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
