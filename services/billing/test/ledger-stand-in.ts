import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";

/** A ledger in memory, with the calls that top-ups need. */
export interface LedgerStandIn {
  client: Client<typeof LedgerService>;
  /** The balances of accounts, nano-USD. */
  balances: Map<string, bigint>;
}

/** Returns a ledger that credits a reference of an account once. */
export function createLedgerStandIn(): LedgerStandIn {
  const balances = new Map<string, bigint>();
  const credits = new Set<string>();
  const client = {
    getWallet: async ({ accountId }: { accountId: string }) => ({
      wallet: { balanceNanoUsd: balances.get(accountId) ?? 0n },
    }),
    async topUp(topUp: { accountId: string; amountNanoUsd: bigint; reference: string }) {
      const { accountId, amountNanoUsd, reference } = topUp;
      const credit = `${accountId} ${reference}`;
      if (credits.has(credit)) return { credited: false };
      credits.add(credit);
      balances.set(accountId, (balances.get(accountId) ?? 0n) + amountNanoUsd);
      return { credited: true };
    },
  } as unknown as Client<typeof LedgerService>;
  return { client, balances };
}
