import type { Rate, Rates } from "@tollgate/core/rates";

export const rateLimitHeaders = [
  "x-ratelimit-limit-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-remaining-tokens",
  "x-ratelimit-reset-requests",
  "x-ratelimit-reset-tokens",
] as const;

export type RateLimitHeader = (typeof rateLimitHeaders)[number];

/** Returns the `x-ratelimit-*` headers of those rates that are limited. */
export function headersOfRates({ requests, tokens }: Rates): Record<string, string> {
  return {
    ...(requests === undefined ? {} : headersOfRate("requests", requests)),
    ...(tokens === undefined ? {} : headersOfRate("tokens", tokens)),
  };
}

/** Returns whether the headers of a response have both rates. */
export function hasAllRates(headers: Readonly<Record<string, string>>): boolean {
  return "x-ratelimit-limit-requests" in headers && "x-ratelimit-limit-tokens" in headers;
}

function headersOfRate(name: "requests" | "tokens", { limit, remaining, resetMs }: Rate) {
  return {
    [`x-ratelimit-limit-${name}`]: String(limit),
    [`x-ratelimit-remaining-${name}`]: String(remaining < 0n ? 0n : remaining),
    [`x-ratelimit-reset-${name}`]: formatDuration(resetMs),
  };
}

/** Formats milliseconds as `12ms`, `1s` or `6m0s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
