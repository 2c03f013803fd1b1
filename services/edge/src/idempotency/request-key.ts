import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { GatewayError } from "@tollgate/core/errors";

/** What tells one keyed request from another: the same key with another fingerprint is refused. */
export interface RequestKey {
  keyId: string;
  idempotencyKey: string;
  /** SHA-256 of method, path and raw body. */
  fingerprint: Buffer;
}

const header = "Idempotency-Key";
/** Visible ASCII. */
export const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** The request's idempotency key, undefined when it has none. Raises `invalid_param`. */
export function readIdempotencyKey({ headers }: IncomingMessage): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && keyPattern.test(key))) return key;
  const message = `${header} must be 1 to 255 visible ASCII characters.`;
  throw new GatewayError("invalid_param", message, { param: header });
}

export function fingerprintOf({ method, url }: IncomingMessage, body: Uint8Array): Buffer {
  return createHash("sha256").update(`${method} ${url}\n`).update(body).digest();
}
