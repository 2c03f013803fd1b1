import { Pauses } from "@tollgate/core/pauses";
import type { SlotFailure } from "./failure.ts";

/** A call is not retried if the provider asks for a longer pause. */
const longestPauseMs = 2_000;
const firstPauseMs = 250;

/**
 * The statuses that mean that a provider has generated nothing. With 502, 504 or 408, a proxy did not get a
 * response in time, and the provider may have generated one.
 */
const notGenerated: ReadonlySet<number | undefined> = new Set([500, 503, 529]);

/**
 * Returns whether a failed call may be retried at the same slot: the provider did not get the request, or refused
 * it. After any other failure, the provider may have generated a response, which it bills.
 */
export function canRepeat({ meaning, status, retryAfterMs = 0 }: SlotFailure): boolean {
  if (retryAfterMs > longestPauseMs) return false;
  return meaning === "unreachable" || (meaning === "trouble" && notGenerated.has(status));
}

/** Returns the pauses between the retries of a call. */
export function repeatPauses(signal: AbortSignal | undefined): Pauses {
  return new Pauses({ firstMs: firstPauseMs, maxMs: longestPauseMs, signal });
}
