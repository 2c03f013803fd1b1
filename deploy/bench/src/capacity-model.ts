/** What one request costs each step of a fleet. */
export interface RequestCosts {
  /** Microseconds of CPU, by the process: a service, or a store. */
  cpuUs: Readonly<Record<Step, number>>;
  /** Bytes that Postgres writes to its log, and bytes that its tables and indexes grow by. */
  walBytes: number;
  storedBytes: number;
}

/** The processes that a request passes. A step of Node uses one core of each of its processes. */
export const steps = ["edge", "chat", "ledger", "NATS", "Postgres"] as const;
export type Step = (typeof steps)[number];

/** A process that is busier than this makes requests wait. */
const busyShare = 0.7;
const secondsPerDay = 86_400;

/** What a rate of requests needs. */
export interface Capacity {
  requestsPerSecond: number;
  /** Processes of each service, and cores of each store. */
  needed: Readonly<Record<Step, number>>;
  walMegabytesPerSecond: number;
  storedGigabytesPerDay: number;
}

/** Returns the rate, in requests per second, at which one process or core of each step is busy. */
export function limitsOf({ cpuUs }: RequestCosts): Record<Step, number> {
  return eachStep((step) => (busyShare * 1_000_000) / cpuUs[step]);
}

export function capacityFor(costs: RequestCosts, requestsPerSecond: number): Capacity {
  const limits = limitsOf(costs);
  return {
    requestsPerSecond,
    needed: eachStep((step) => Math.ceil(requestsPerSecond / limits[step])),
    walMegabytesPerSecond: (costs.walBytes * requestsPerSecond) / 1_000_000,
    storedGigabytesPerDay: (costs.storedBytes * requestsPerSecond * secondsPerDay) / 1_000_000_000,
  };
}

function eachStep(value: (step: Step) => number): Record<Step, number> {
  const entries = steps.map((step) => [step, value(step)]);
  return Object.fromEntries(entries) as Record<Step, number>;
}
