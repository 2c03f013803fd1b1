import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";

/** An entry of a ledger, with the balance right after it. */
export interface BalancedEntry {
  entry: Entry;
  /** Undefined where it is not known. */
  balance: bigint | undefined;
}

/**
 * Returns entries, the newest first, each with the balance after it. `newest` is the balance after
 * the first one; undefined where the list does not begin with the newest entry of the account.
 */
export function withBalances(
  entries: readonly Entry[],
  newest: bigint | undefined,
): BalancedEntry[] {
  let balance = newest;
  return entries.map((entry) => {
    const after = balance;
    if (balance !== undefined) balance -= entry.amountNanoUsd;
    return { entry, balance: after };
  });
}
