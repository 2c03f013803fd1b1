import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { GatewayError } from "@tollgate/core/errors";
import type { RequestBody } from "../http/request-body.ts";

/** Identifies a request with an idempotency key. */
export interface RequestKey {
  keyId: string;
  idempotencyKey: string;
  /** SHA-256 of method, path and raw body. The same key with another fingerprint is rejected. */
  fingerprint: Buffer;
}

const header = "Idempotency-Key";
/** Visible ASCII. */
export const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Returns the request's idempotency key; undefined if it has none. Throws `invalid_param`. */
export function readIdempotencyKey({ headers }: IncomingMessage): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && keyPattern.test(key))) return key;
  const message = `${header} must be 1 to 255 visible ASCII characters.`;
  throw new GatewayError("invalid_param", message, { param: header });
}

/** Returns the fingerprint of a request with this body. */
export function fingerprintOf({ method, url }: IncomingMessage, { chunks }: RequestBody): Buffer {
  const hash = createHash("sha256").update(`${method} ${url}\n`);
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest();
}
