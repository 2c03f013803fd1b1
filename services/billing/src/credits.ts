import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";

const periodMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * Resolves with what the account can spend now, and what requests in progress hold, nano-USD. Both
 * are zero if there is no wallet.
 */
export async function readAvailable(ledger: Client<typeof LedgerService>, accountId: string) {
  const { wallet } = await ledger.getWallet({ accountId });
  if (wallet === undefined) return { availableNanoUsd: 0n, heldNanoUsd: 0n };
  const { balanceNanoUsd, heldNanoUsd } = wallet;
  return { availableNanoUsd: balanceNanoUsd - heldNanoUsd, heldNanoUsd };
}

/**
 * Resolves with the wallet and the spend of the 30 days before `now`, or without credits if there
 * is no wallet.
 */
export async function readCredits(
  ledger: Client<typeof LedgerService>,
  accountId: string,
  now: Date,
) {
  const periodStart = timestampFromDate(new Date(now.getTime() - periodMs));
  const periodEnd = timestampFromDate(now);
  const [{ wallet }, { spendNanoUsd }] = await Promise.all([
    ledger.getWallet({ accountId }),
    ledger.getSpend({ accountId, from: periodStart }),
  ]);
  if (wallet === undefined) return {};
  return {
    credits: {
      balanceNanoUsd: wallet.balanceNanoUsd,
      heldNanoUsd: wallet.heldNanoUsd,
      spend30dNanoUsd: spendNanoUsd,
      periodStart,
      periodEnd,
    },
  };
}
