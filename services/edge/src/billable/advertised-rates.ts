import type { Catalog } from "@tollgate/catalog/model";
import { formatDuration, type RateLimitHeader } from "@tollgate/http/rate-headers";
import { LRUCache } from "lru-cache";

const windowSeconds = 60;
const maxKeys = 50_000;

/**
 * The `x-ratelimit-*` headers of keys without limits: the rates of the catalog, less the requests and
 * tokens of the trailing minute on this replica. They are advertised only, and no request is refused
 * because of them. The limits of a key are enforced by the ledger, for all replicas, when it takes a
 * hold: `services/ledger/sql/limits/check_limits.sql`. A response to such a key has the ledger's rates
 * instead of these.
 */
export interface AdvertisedRates {
  countRequest(keyId: string): void;
  countTokens(keyId: string, tokens: number): void;
  headers(keyId: string): Record<RateLimitHeader, string>;
}

/** Creates the counts. `limits` is called for every response, since the catalog can change. */
export function createAdvertisedRates(
  limits: () => Catalog["limits"],
  nowMs: () => number,
): AdvertisedRates {
  const windows = new LRUCache<string, Window>({ max: maxKeys });
  const nowSecond = () => Math.floor(nowMs() / 1_000);

  function windowOf(keyId: string): Window {
    let window = windows.get(keyId);
    if (window === undefined) {
      window = { seconds: [], requests: 0, tokens: 0 };
      windows.set(keyId, window);
    }
    removeExpired(window, nowSecond());
    return window;
  }

  function count(keyId: string, requests: number, tokens: number): void {
    const window = windowOf(keyId);
    const at = nowSecond();
    let last = window.seconds.at(-1);
    if (last?.at !== at) {
      last = { at, requests: 0, tokens: 0 };
      window.seconds.push(last);
    }
    last.requests += requests;
    last.tokens += tokens;
    window.requests += requests;
    window.tokens += tokens;
  }

  return {
    countRequest: (keyId) => count(keyId, 1, 0),
    countTokens(keyId, tokens) {
      if (tokens > 0) count(keyId, 0, tokens);
    },
    headers(keyId) {
      const { requestsPerMinute, tokensPerMinute } = limits();
      const { seconds, requests, tokens } = windowOf(keyId);
      const resetFor = (counts: (second: Second) => boolean) => {
        const last = seconds.findLast(counts);
        const clearAtMs = last === undefined ? 0 : (last.at + windowSeconds) * 1_000;
        return formatDuration(Math.max(0, clearAtMs - nowMs()));
      };
      return {
        "x-ratelimit-limit-requests": String(requestsPerMinute),
        "x-ratelimit-limit-tokens": String(tokensPerMinute),
        "x-ratelimit-remaining-requests": String(Math.max(0, requestsPerMinute - requests)),
        "x-ratelimit-remaining-tokens": String(Math.max(0, tokensPerMinute - tokens)),
        "x-ratelimit-reset-requests": resetFor((second) => second.requests > 0),
        "x-ratelimit-reset-tokens": resetFor((second) => second.tokens > 0),
      };
    },
  };
}

interface Second {
  at: number;
  requests: number;
  tokens: number;
}

interface Window {
  /** Oldest first, at most one for each second of the trailing minute. */
  seconds: Second[];
  requests: number;
  tokens: number;
}

function removeExpired(window: Window, nowSecond: number): void {
  for (;;) {
    const [oldest] = window.seconds;
    if (oldest === undefined || oldest.at > nowSecond - windowSeconds) return;
    window.seconds.shift();
    window.requests -= oldest.requests;
    window.tokens -= oldest.tokens;
  }
}
