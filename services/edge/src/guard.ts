import { walletExhausted } from "@tollgate/metering/holds/holds";
import type { BillingService, GetAvailableResponse } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { createBelieved } from "./believed.ts";

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
  const wallets = createBelieved<GetAvailableResponse>({
    ask: (accountId) => billing.getAvailable({ accountId }),
    believedMs: ({ availableNanoUsd }) => (availableNanoUsd === 0n ? 0 : believedMs),
    max: maxAccounts,
  });
  return {
    async check(accountId) {
      const { availableNanoUsd, heldNanoUsd } = await wallets.get(accountId);
      if (availableNanoUsd === 0n) throw walletExhausted(heldNanoUsd);
    },
    forget: wallets.forget,
  };
}
