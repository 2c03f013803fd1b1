import { PeerError } from "@tollgate/core/errors";
import { repeat } from "@tollgate/core/repeat";

const delayMs = 500;
export const healthCheckTimeoutMs = 500;
/** Either side may be busy for longer than one timeout, but hardly for two in a row. */
const unresponsiveAfterMisses = 2;

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
 * Calls `check` 500 ms after a call has started, and again until no check passes its deadline. A
 * replica is unresponsive once two checks in a row have, until one succeeds or fails in time. A
 * replica that has no calls is not checked: checks would wake two processes at rest.
 */
export function startHealthCheck(check: () => Promise<unknown>): HealthCheck {
  let misses = 0;

  async function run(): Promise<void> {
    const isMiss = await check().then(() => false, isDeadline);
    misses = isMiss ? misses + 1 : 0;
  }

  const checks = repeat(run, {
    everyMs: () => (misses > 0 ? 0 : delayMs),
    isIdle: () => misses === 0,
  });
  return {
    isUnresponsive: () => misses >= unresponsiveAfterMisses,
    noteCall: () => checks.resume(),
    stop: () => void checks.stop(),
  };
}

function isDeadline(error: unknown): boolean {
  return error instanceof PeerError && error.reason === "deadline";
}
