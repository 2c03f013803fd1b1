import { Pauses } from "@tollgate/core/pauses";
import type { SlotFailure } from "./failure.ts";

/** A provider that asks for a longer pause than this is not called again for the same request. */
const longestPauseMs = 2_000;
const firstPauseMs = 250;

/**
 * The statuses by which a provider says that it has generated nothing. Those of a proxy whose server did
 * not respond in time (502, 504, 408) do not say that.
 */
const notGenerated: ReadonlySet<number | undefined> = new Set([500, 503, 529]);

/**
 * Returns whether a call that failed may be made again at the same slot: where the provider was not sent
 * the request, or has refused it. It may have generated a response that was cut, or came too late.
 */
export function canRepeat({ meaning, status, retryAfterMs = 0 }: SlotFailure): boolean {
  if (retryAfterMs > longestPauseMs) return false;
  return meaning === "unreachable" || (meaning === "trouble" && notGenerated.has(status));
}

/** Returns the pauses before a call is repeated. */
export function repeatPauses(signal: AbortSignal | undefined): Pauses {
  return new Pauses({ firstMs: firstPauseMs, maxMs: longestPauseMs, signal });
}
