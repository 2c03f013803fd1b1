import type { ProviderRefusal } from "@tollgate/catalog/provider-refusal";

/** The longest time for which a provider's wish not to be called is followed. */
export const maxRetryAfterMs = 60_000;

/**
 * Returns how long a provider asks not to be called by the usual headers: `retry-after-ms`, and
 * `Retry-After` in seconds or as a date. Undefined where it does not say, or not in numbers.
 */
export function retryAfterMsOf(
  { headers }: Pick<ProviderRefusal, "headers">,
  nowMs: number,
): number | undefined {
  const precise = positive(Number(headers["retry-after-ms"] || Number.NaN));
  if (precise !== undefined) return precise;
  const value = String(headers["retry-after"] ?? "").trim();
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  return positive(Date.parse(value) - nowMs);
}

/** Returns a duration, where it is one. A date that has passed is no time to wait. */
function positive(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
