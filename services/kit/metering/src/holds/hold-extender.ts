import type { Log } from "@tollgate/core/log";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";

const tickMs = 1_000;

/** Keeps the holds of this process from expiring for as long as they are in use. */
export interface LiveHolds {
  add(holdId: string, expiresInMs: number): void;
  /** It is no longer extended. */
  remove(holdId: string): void;
  stop(): void;
}

interface LiveHold {
  everyMs: number;
  dueAt: number;
}

export function createLiveHolds(
  ledger: Pick<Client<typeof LedgerService>, "extendHolds">,
  log: Log,
): LiveHolds {
  const live = new Map<string, LiveHold>();

  async function extendDue(): Promise<void> {
    const now = performance.now();
    const due = [...live].filter(([, hold]) => hold.dueAt <= now);
    if (due.length === 0) return;
    for (const [, hold] of due) hold.dueAt = now + hold.everyMs;
    try {
      await ledger.extendHolds({ holdIds: due.map(([holdId]) => holdId) });
    } catch (error) {
      log.warn({ holds: due.length, reason: (error as Error).message }, "holds not extended");
      for (const [, hold] of due) hold.dueAt = now;
    }
  }

  const timer = setInterval(() => void extendDue(), tickMs);
  timer.unref();
  return {
    add(holdId, expiresInMs) {
      const everyMs = expiresInMs / 3;
      live.set(holdId, { everyMs, dueAt: performance.now() + everyMs });
    },
    remove: (holdId) => void live.delete(holdId),
    stop: () => clearInterval(timer),
  };
}
