import type { NanoUsd } from "@tollgate/core/money";
import type { Rates } from "@tollgate/core/rates";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";

/** Money that is reserved for one request. */
export interface Hold {
  /** The estimate, or less when the wallet had less. */
  readonly amount: NanoUsd;
  /**
   * The wallet's balance when the hold was taken: the hold cannot grow beyond it, unless the wallet
   * is topped up. Undefined where it is unknown: a part of a shared hold is taken without the
   * ledger, from a wallet that has much more.
   */
  readonly walletBalance: NanoUsd | undefined;
  /** The rates that limit the key, and what is left of them. */
  readonly rates: Rates | undefined;
  /**
   * Adds `min(estimate, available)`, and resolves with what was added. Throws the errors of
   * `Holds.take`; the hold then stays as it was.
   */
  grow(estimate: NanoUsd): Promise<NanoUsd>;
  /**
   * The request is no longer in progress, for the limit of requests in progress, although it goes on: its
   * client left. Safe to repeat.
   */
  leave(): void;
  /**
   * Ends the request, which cost `cost` and used `tokens`: zero when it failed. Returns the fields of
   * its usage event for what is captured from which hold. Call it once; the hold cannot grow
   * afterwards.
   */
  settle(cost: NanoUsd, tokens: bigint): SettledHold;
  /** Call it when the usage event is durable: its capture ends the hold. Safe to repeat. */
  stopExtending(): void;
}

export type SettledHold = Pick<
  UsageEvent,
  "holdId" | "sharedHoldId" | "sharedNanoUsd" | "sharedTokens" | "sharedInProgress"
>;

/** The hold of a request that costs nothing. */
export const emptyHold: Hold = {
  amount: 0n,
  walletBalance: undefined,
  rates: undefined,
  grow: async () => 0n,
  leave() {},
  settle: () => ({
    holdId: "",
    sharedHoldId: "",
    sharedNanoUsd: 0n,
    sharedTokens: 0n,
    sharedInProgress: 0,
  }),
  stopExtending() {},
};

/** Returns a hold for a request that an earlier run has paid: it takes nothing from the wallet. */
export function prepaidHold(amount: NanoUsd): Hold {
  return { ...emptyHold, amount, grow: async (estimate) => estimate };
}
