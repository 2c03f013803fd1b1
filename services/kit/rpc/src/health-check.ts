import { PeerError } from "@tollgate/core/errors";

const intervalMs = 500;
export const healthCheckTimeoutMs = 500;
/** Either side may be busy for longer than one timeout, but hardly for two in a row. */
const unresponsiveAfterMisses = 2;
/** A replica that has had no call for this long is not checked. */
const idleAfterMs = 10_000;

/**
 * Detects a replica that accepts a connection but does not respond. A process that hangs leaves its
 * connection open, so that calls to it would wait for their deadline.
 */
export interface HealthCheck {
  isUnresponsive(): boolean;
  /** Notes that a call to the replica starts. */
  noteCall(): void;
  stop(): void;
}

/**
 * Calls `check` every 500 ms while the replica is in use. A replica is unresponsive once two checks
 * in a row have passed their deadline, until one succeeds or fails in time.
 */
export function startHealthCheck(check: () => Promise<unknown>): HealthCheck {
  let misses = 0;
  let isChecking = false;
  let lastCallAt = -Infinity;

  async function run(): Promise<void> {
    const isIdle = performance.now() - lastCallAt > idleAfterMs;
    if (isChecking || (isIdle && misses === 0)) return;
    isChecking = true;
    const isMiss = await check().then(() => false, isDeadline);
    misses = isMiss ? misses + 1 : 0;
    isChecking = false;
  }

  const timer = setInterval(() => void run(), intervalMs);
  timer.unref();
  return {
    isUnresponsive: () => misses >= unresponsiveAfterMisses,
    noteCall() {
      lastCallAt = performance.now();
    },
    stop: () => clearInterval(timer),
  };
}

function isDeadline(error: unknown): boolean {
  return error instanceof PeerError && error.reason === "deadline";
}
