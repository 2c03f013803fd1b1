import { minOf, type NanoUsd } from "@tollgate/core/money";
import { Outcome, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";

/** A wallet while a batch of events is captured. */
export interface WalletState {
  balance: NanoUsd;
  held: NanoUsd;
}

/** What one usage event changes in its wallet. */
export interface Settlement {
  event: UsageEvent;
  /** Subtracted from the balance. */
  charge: NanoUsd;
  /** The part of the cost that is not charged. */
  uncollected: NanoUsd;
}

/**
 * Captures one event from its wallet, in place: releases `hold` and subtracts the charge, which is
 * `min(cost, reported, hold + available)`. A client is never charged more than the cost in its
 * response, and money that other requests hold is never touched. Throws a RangeError if `hold`
 * exceeds what the wallet holds.
 */
export function settle(wallet: WalletState, hold: NanoUsd, event: UsageEvent): Settlement {
  if (hold > wallet.held) throw new RangeError("a hold exceeds what its wallet holds");
  const cost = event.outcome === Outcome.FAILED ? 0n : event.costNanoUsd;
  const reported = event.reportedNanoUsd ?? cost;
  wallet.held -= hold;
  const charge = minOf(minOf(cost, reported), wallet.balance - wallet.held);
  wallet.balance -= charge;
  return { event, charge, uncollected: cost - charge };
}
