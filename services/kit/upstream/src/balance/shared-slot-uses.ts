import type { Slot } from "@tollgate/catalog/model";

/** A call of a slot, as its limits count it. */
export interface CountedCall {
  accountId: string;
  /** The tokens that it is likely to use. */
  tokens: number;
}

/** A call that all processes count as in progress. */
export interface SharedSlotUse {
  /** Ends the call, once. `tokens` are those that it used, where they are known. */
  end(tokens?: number): void;
}

/** Counts the calls of slots with limits, together with those of other processes. */
export interface SharedSlotUses {
  /**
   * Counts a call. Resolves with the milliseconds to wait if a limit of the slot refuses the call, and with
   * undefined if calls cannot be counted now. Never rejects.
   */
  take(slot: Slot, call: CountedCall): Promise<SharedSlotUse | number | undefined>;
}
