import type { Log } from "@tollgate/core/log";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";

const tickMs = 1_000;

/** Extends the holds that are in use before they expire. */
export interface HoldExtender {
  add(holdId: string, expiresInMs: number): void;
  /** Extends the hold no longer. */
  remove(holdId: string): void;
  stop(): void;
}

interface ExtendedHold {
  everyMs: number;
  dueAtMs: number;
}

export function createHoldExtender(
  ledger: Pick<Client<typeof LedgerService>, "extendHolds">,
  log: Log,
): HoldExtender {
  const holds = new Map<string, ExtendedHold>();

  async function extendDue(): Promise<void> {
    const now = performance.now();
    const due = [...holds].filter(([, hold]) => hold.dueAtMs <= now);
    if (due.length === 0) return;
    for (const [, hold] of due) hold.dueAtMs = now + hold.everyMs;
    try {
      await ledger.extendHolds({ holdIds: due.map(([holdId]) => holdId) });
    } catch (error) {
      log.warn({ holds: due.length, reason: (error as Error).message }, "holds not extended");
      for (const [, hold] of due) hold.dueAtMs = now;
    }
  }

  const timer = setInterval(() => void extendDue(), tickMs);
  timer.unref();
  return {
    add(holdId, expiresInMs) {
      const everyMs = expiresInMs / 3;
      holds.set(holdId, { everyMs, dueAtMs: performance.now() + everyMs });
    },
    remove: (holdId) => void holds.delete(holdId),
    stop: () => clearInterval(timer),
  };
}
