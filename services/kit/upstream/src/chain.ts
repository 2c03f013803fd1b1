import type { Slot } from "@tollgate/catalog/model";
import type { Log } from "@tollgate/core/log";
import type { Breakers } from "./breaker.ts";
import { chainFailure, type FailedOutcome, SlotFailure } from "./failure.ts";
import type { ProviderClient } from "./provider-client.ts";

export interface ChainOptions {
  breakers: Breakers;
  /** The account that makes the request. */
  accountId: string;
  log: Log;
  /** Hides the credentials of a slot's provider in what it says. */
  redact: ProviderClient["redact"];
  /** Called with the outcome of each attempt. */
  onAttempt?(slot: Slot, outcome: AttemptOutcome): void;
}

export type AttemptOutcome = "served" | "abandoned" | FailedOutcome;

/** The slot that served a call, and its response. */
export interface Served<Response> {
  slot: Slot;
  response: Response;
}

/**
 * Attempts the slots in order until one serves the request. `attempt` throws a SlotFailure when its
 * slot does not serve it; `attempt` may then be called for the next slot, so it must not have sent the
 * client anything. Throws what `chainFailure` returns when no slot serves, and any other error that
 * `attempt` throws.
 */
export async function walkChain<Response>(
  chain: readonly Slot[],
  attempt: (slot: Slot) => Promise<Response>,
  { breakers, accountId, log, redact, onAttempt = () => {} }: ChainOptions,
): Promise<Served<Response>> {
  const failures: SlotFailure[] = [];
  let coolsForMs: number | undefined;
  for (const slot of chain) {
    const permit = breakers.admit(slot, accountId);
    if (permit === "denied") {
      const ms = breakers.coolsForMs(slot, accountId);
      if (ms !== undefined) coolsForMs = Math.min(ms, coolsForMs ?? ms);
      continue;
    }
    try {
      const response = await attempt(slot);
      breakers.succeeded(slot, accountId, permit);
      onAttempt(slot, "served");
      return { slot, response };
    } catch (error) {
      if (!(error instanceof SlotFailure)) {
        breakers.abandoned(slot, accountId, permit);
        onAttempt(slot, "abandoned");
        throw error;
      }
      error.redactMessages((text) => redact(slot, text));
      const { outcome, status, message, said } = error;
      onAttempt(slot, outcome);
      log.warn({ slot: slot.id, outcome, status, reason: message, said }, "slot failed");
      breakers.failed(slot, accountId, permit, error);
      failures.push(error);
      if (!error.passesOn) break;
    }
  }
  throw chainFailure(failures, coolsForMs);
}
