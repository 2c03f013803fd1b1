import { walletExhausted } from "@tollgate/metering/holds/wallet-refusal";
import type { BillingService, GetAvailableResponse } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { createRefreshingCache } from "./refreshing-cache.ts";

/**
 * How long a non-empty wallet is cached. The hold decides; the guard only rejects early, so its
 * value may be stale. An empty wallet is not cached, so a top-up takes effect at once.
 */
const fundedTtlMs = 1_000;
const maxAccounts = 50_000;

/** Rejects requests of empty wallets before a service is called. */
export interface BalanceGuard {
  /** Throws `credit_balance_exhausted` if the account's wallet has nothing available. */
  check(accountId: string): Promise<void>;
  /** Discards the cached balance, after a hold found the wallet empty. */
  forget(accountId: string): void;
}

/** Creates a guard that caches the wallets with money. */
export function createBalanceGuard(billing: Client<typeof BillingService>): BalanceGuard {
  const wallets = createRefreshingCache<GetAvailableResponse>({
    load: (accountId) => billing.getAvailable({ accountId }),
    ttlMs: ({ availableNanoUsd }) => (availableNanoUsd === 0n ? 0 : fundedTtlMs),
    max: maxAccounts,
  });
  return {
    async check(accountId) {
      const { availableNanoUsd, heldNanoUsd } = await wallets.get(accountId);
      if (availableNanoUsd === 0n) throw walletExhausted(heldNanoUsd);
    },
    forget: wallets.delete,
  };
}
