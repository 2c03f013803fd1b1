import type { Slot } from "@tollgate/catalog/model";
import type { Log } from "@tollgate/core/log";
import type { Breakers } from "./breaker.ts";
import { chainFailure, SlotFailure } from "./failure.ts";

export interface ChainOptions {
  breakers: Breakers;
  log: Log;
  /** Called with the outcome of each attempt. */
  onAttempt?(slot: Slot, outcome: AttemptOutcome): void;
}

export type AttemptOutcome = "served" | "abandoned" | SlotFailure["kind"];

/** The slot that served a call, and its response. */
export interface Served<Response> {
  slot: Slot;
  response: Response;
}

/**
 * Attempts the slots in order until one serves the request. `attempt` throws a SlotFailure when its
 * slot does not serve it; `attempt` may then be called for the next slot, so it must not have sent the
 * client anything. Throws `no_provider_available` when no slot could be reached, `upstream_rejected`
 * when a provider responded but no slot served, and any other error that `attempt` throws.
 */
export async function walkChain<Response>(
  chain: readonly Slot[],
  attempt: (slot: Slot) => Promise<Response>,
  { breakers, log, onAttempt = () => {} }: ChainOptions,
): Promise<Served<Response>> {
  const failures: SlotFailure[] = [];
  for (const slot of chain) {
    if (!breakers.admits(slot.id)) continue;
    try {
      const response = await attempt(slot);
      breakers.succeeded(slot.id);
      onAttempt(slot, "served");
      return { slot, response };
    } catch (error) {
      if (!(error instanceof SlotFailure)) {
        breakers.abandoned(slot.id);
        onAttempt(slot, "abandoned");
        throw error;
      }
      const { kind, status, message } = error;
      onAttempt(slot, kind);
      log.warn({ slot: slot.id, kind, status, reason: message }, "slot failed");
      if (error.countsAgainstSlot) breakers.failed(slot.id);
      else breakers.succeeded(slot.id);
      failures.push(error);
      if (!error.passesOn) break;
    }
  }
  throw chainFailure(failures);
}
