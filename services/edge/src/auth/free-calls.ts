import { GatewayError } from "@tollgate/core/errors";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { LRUCache } from "lru-cache";

/** Free calls a minute of a key without a limit of requests. */
const defaultPerMinute = 600;
/** Free calls a minute for each request a minute that a key may send. */
const perRequest = 10;
const maxKeys = 50_000;
const minuteMs = 60_000;

/**
 * Bounds the calls of a key that cost nothing but call a provider: lists of voices, token counts and
 * reads of jobs. No hold limits them, and they would use up the provider's quota that all customers
 * share. Each replica counts for itself.
 */
export interface FreeCalls {
  /** Counts a call. Throws `rate_limited` where the key has made its calls of the minute. */
  count(key: { keyId: string; requestsPerMinute: number | undefined }): void;
}

/** A token bucket: what is left of a minute's calls, and when that was. */
interface Bucket {
  left: number;
  atMs: number;
}

export interface FreeCallsOptions {
  metrics: Pick<Metrics, "limitRefusals">;
  /** A monotonic clock. */
  nowMs(): number;
}

/** Creates the counts. */
export function createFreeCalls({ metrics, nowMs }: FreeCallsOptions): FreeCalls {
  const buckets = new LRUCache<string, Bucket>({ max: maxKeys });
  return {
    count({ keyId, requestsPerMinute }) {
      const perMinute =
        requestsPerMinute === undefined ? defaultPerMinute : requestsPerMinute * perRequest;
      const now = nowMs();
      const { left, atMs } = buckets.get(keyId) ?? { left: perMinute, atMs: now };
      const filled = Math.min(perMinute, left + ((now - atMs) / minuteMs) * perMinute);
      if (filled < 1) {
        metrics.limitRefusals.inc({ limit: "free_calls" });
        throw tooManyFreeCalls(perMinute, (1 - filled) / perMinute);
      }
      buckets.set(keyId, { left: filled - 1, atMs: now });
    },
  };
}

/** Returns the error of a call beyond those of a key in a minute, which can be retried after some minutes. */
export function tooManyFreeCalls(perMinute: number, minutes: number): GatewayError {
  const message = `This key may make ${perMinute} free calls a minute. Retry in a moment.`;
  const retryAfterSeconds = Math.max(1, Math.ceil(minutes * 60));
  return new GatewayError("rate_limited", message, { retryAfterSeconds });
}
