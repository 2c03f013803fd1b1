import type { IncomingMessage, ServerResponse } from "node:http";
import { rateLimitHeaders } from "@tollgate/http/rate-headers";
import cors from "cors";

/** The origins whose web pages may call the gateway: a list, or `*` for all. */
export type CorsOrigins = "*" | readonly string[];

/** How long a browser may cache the response to a preflight. Chromium caches for 2 hours at most. */
const preflightSeconds = 7_200;

/** Headers that browsers hide from a page unless the response names them. */
const exposedHeaders = [
  "x-request-id",
  ...rateLimitHeaders,
  "x-should-retry",
  "Idempotency-Replayed",
  "Retry-After",
  "Inference-Id",
];

/** Cross-origin resource sharing: https://fetch.spec.whatwg.org/#http-cors-protocol */
export interface Cors {
  /** Adds the headers of a response that allow its page to read it. */
  allow(req: IncomingMessage, res: ServerResponse): void;
  /**
   * Creates what responds to the preflights of a path: it allows these methods, and every header
   * that the page wants to send.
   */
  createPreflight(methods: readonly string[]): (req: IncomingMessage, res: ServerResponse) => void;
}

/**
 * Returns what allows the pages of these origins to call the gateway; undefined for no origins. No
 * response allows credentials: the gateway uses no cookies, and a page must have the key itself.
 */
export function createCors(origins: CorsOrigins): Cors | undefined {
  if (origins.length === 0) return undefined;
  const origin = origins === "*" ? "*" : [...origins];
  const allow = cors({ origin, exposedHeaders, preflightContinue: true });
  return {
    allow: (req, res) => allow(req, res, () => {}),
    createPreflight(methods) {
      const respond = cors({ origin, methods: [...methods], maxAge: preflightSeconds });
      return (req, res) => respond(req, res, () => {});
    },
  };
}

/** Returns whether a browser asks if a page may send the request that follows. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}
