import { exhausted } from "@tollgate/kit/metering/holds";
import type { Client } from "@tollgate/kit/rpc/implementation";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import { LRUCache } from "lru-cache";

/**
 * How long a wallet that had money is believed to have some. The hold decides in the end; the guard
 * only refuses early, so it may be late, and a wallet that was topped up is never kept waiting.
 */
const believedMs = 1_000;
const maxAccounts = 50_000;

export interface BalanceGuard {
  /** Raises `credit_balance_exhausted` when nothing in the account's wallet is free. */
  check(accountId: string): Promise<void>;
  /** A hold found the wallet empty: ask anew next time. */
  forget(accountId: string): void;
}

export function createBalanceGuard(billing: Client<typeof BillingService>): BalanceGuard {
  const solvent = new LRUCache<string, true>({ max: maxAccounts, ttl: believedMs });
  return {
    async check(accountId) {
      if (solvent.has(accountId)) return;
      const { availableNanoUsd, heldNanoUsd } = await billing.getAvailable({ accountId });
      if (availableNanoUsd === 0n) throw exhausted(heldNanoUsd);
      solvent.set(accountId, true);
    },
    forget: (accountId) => void solvent.delete(accountId),
  };
}
