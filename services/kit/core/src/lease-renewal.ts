import { createIndexedSet, type Indexed } from "./indexed-set.ts";
import { repeat } from "./repeat.ts";

/** A lease of this process on something that others may take once it has expired. */
export interface RenewedLease<Held> extends Indexed {
  readonly held: Held;
  readonly everyMs: number;
  dueAtMs: number;
}

/**
 * Renews the leases that this process holds, those that are due together. A lease ends by `end`, or
 * expires with its process. A renewal may come too late, so that the holder may lose a lease at any time.
 */
export interface LeaseRenewal<Held> {
  /** Renews a lease of `leaseMs` each time that a third of it has passed. */
  begin(held: Held, leaseMs: number): RenewedLease<Held>;
  /** Renews the lease no longer. Safe to repeat. */
  end(lease: RenewedLease<Held>): void;
  size(): number;
  /** Renews no lease any more. */
  stop(): void;
}

export interface LeaseRenewalOptions {
  /** How often due leases are looked for; much less than a third of the shortest lease. */
  checkEveryMs: number;
  /** Called when a renewal has failed. It is repeated at the next check. */
  onFailure(leases: number, error: Error): void;
}

/** Creates the leases that are renewed by `renew`. A renewal that takes long delays no other. */
export function renewLeases<Held>(
  renew: (held: readonly Held[]) => Promise<unknown>,
  { checkEveryMs, onFailure }: LeaseRenewalOptions,
): LeaseRenewal<Held> {
  const leases = createIndexedSet<RenewedLease<Held>>();

  async function renewDue(): Promise<void> {
    const nowMs = performance.now();
    const due = leases.filter(({ dueAtMs }) => dueAtMs <= nowMs);
    if (due.length === 0) return;
    for (const lease of due) lease.dueAtMs = nowMs + lease.everyMs;
    try {
      await renew(due.map(({ held }) => held));
    } catch (error) {
      onFailure(due.length, error as Error);
      for (const lease of due) lease.dueAtMs = nowMs;
    }
  }

  const checks = repeat(() => void renewDue(), {
    everyMs: checkEveryMs,
    isIdle: () => leases.size() === 0,
  });
  return {
    begin(held, leaseMs) {
      const everyMs = leaseMs / 3;
      const lease = { held, everyMs, dueAtMs: performance.now() + everyMs, index: -1 };
      leases.add(lease);
      checks.resume();
      return lease;
    },
    end: leases.remove,
    size: leases.size,
    stop: () => void checks.stop(),
  };
}
