import { minOf, type NanoUsd } from "@tollgate/core/money";
import { Outcome, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";

/** A wallet and its open holds as they stand while a batch is settled. */
export interface WalletState {
  balance: NanoUsd;
  held: NanoUsd;
}

/** What one usage event does to its wallet. */
export interface Settlement {
  event: UsageEvent;
  /** What leaves the balance. */
  charge: NanoUsd;
  /** The part of the cost that the wallet does not pay. */
  uncollected: NanoUsd;
}

/**
 * Settles one event against its wallet, in place: gives `hold` back and takes the charge, which is
 * `min(cost, reported, hold + available)`. A client that was told its cost is never charged more,
 * and money that other requests hold is never touched.
 */
export function settle(wallet: WalletState, hold: NanoUsd, event: UsageEvent): Settlement {
  if (hold > wallet.held) throw new RangeError("a hold is part of what its wallet holds");
  const cost = event.outcome === Outcome.FAILED ? 0n : event.costNanoUsd;
  const reported = event.reportedNanoUsd ?? cost;
  wallet.held -= hold;
  const charge = minOf(minOf(cost, reported), wallet.balance - wallet.held);
  wallet.balance -= charge;
  return { event, charge, uncollected: cost - charge };
}
