import type { Slot } from "@tollgate/catalog/model";
import type { Log } from "@tollgate/core/log";
import type { Breakers } from "./breaker.ts";
import { chainFailure, SlotFailure } from "./failure.ts";

export interface ChainParts {
  breakers: Breakers;
  log: Log;
  /** Told how each call went. */
  onCall?(slot: Slot, outcome: CallOutcome): void;
}

export type CallOutcome = "served" | "abandoned" | SlotFailure["kind"];

export interface Served<Answer> {
  slot: Slot;
  answer: Answer;
}

/**
 * Tries the slots in order until one serves. `attempt` raises a SlotFailure when its slot did not;
 * it may be called again for another slot, so it must not have sent the client anything by then.
 * Raises `no_provider_available` when no slot could be reached, `upstream_rejected` when one
 * answered and none served, and whatever else `attempt` raises.
 */
export async function walkChain<Answer>(
  chain: readonly Slot[],
  attempt: (slot: Slot) => Promise<Answer>,
  { breakers, log, onCall = () => {} }: ChainParts,
): Promise<Served<Answer>> {
  const failures: SlotFailure[] = [];
  for (const slot of chain) {
    if (!breakers.admits(slot.id)) continue;
    try {
      const answer = await attempt(slot);
      breakers.succeeded(slot.id);
      onCall(slot, "served");
      return { slot, answer };
    } catch (error) {
      if (!(error instanceof SlotFailure)) {
        breakers.abandoned(slot.id);
        onCall(slot, "abandoned");
        throw error;
      }
      const { kind, status, message } = error;
      onCall(slot, kind);
      log.warn({ slot: slot.id, kind, status, reason: message }, "slot failed");
      if (error.countsAgainstSlot) breakers.failed(slot.id);
      else breakers.succeeded(slot.id);
      failures.push(error);
      if (!error.passesOn) break;
    }
  }
  throw chainFailure(failures);
}
