import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { GatewayError } from "@tollgate/core/errors";
import {
  type BillingService,
  type FindKeyResponse,
  KeyState,
} from "@tollgate/proto/tollgate/v1/billing";
import type { Admission } from "@tollgate/proto/tollgate/v1/caller";
import type { Client } from "@tollgate/rpc/implementation";
import type { Notices } from "@tollgate/runtime/broker/notices";
import { createRefreshingCache } from "./refreshing-cache.ts";

/** How long a key's state is cached. A notice removes a revoked key at once. */
const knownKeyTtlMs = 5_000;
/** Shorter, because a key that is unknown now may be created at any moment. */
const unknownKeyTtlMs = 500;
const maxCachedKeys = 50_000;
const settlementChannel = "settlement";

/** Which API key a route requires. */
export type Auth = "key" | "optional key" | "settlement key" | "none";

/** The key that a request is authenticated by. */
export interface Principal {
  keyId: string;
  accountId: string;
  /** The key's channel. Empty for ordinary keys. */
  channel: string;
  /** The admission policy of the account. A change arrives when the cached key is refreshed. */
  admission: Admission;
  /** The key's SHA-256, in hex. */
  keyHash: string;
}

/** The part of a request that is authenticated, and the headers of its response. */
export interface AuthenticatedRequest {
  req: { headers: IncomingHttpHeaders };
  headers: Record<string, string>;
  requestId: string;
}

/**
 * Authenticates a request by its `Authorization` header. Throws `invalid_api_key` and
 * `key_revoked`. Responses to a settlement-channel key also carry the request id as `Inference-Id`.
 */
export type Authenticate = (request: AuthenticatedRequest) => Promise<Principal>;

/** Creates the function that authenticates requests. It caches keys, and drops revoked ones. */
export function createAuthenticate(
  billing: Client<typeof BillingService>,
  notices: Notices,
): Authenticate {
  const keys = createRefreshingCache<FindKeyResponse>({
    load: (keyHash) => billing.findKey({ keyHash: Buffer.from(keyHash, "hex") }),
    ttlMs: ({ state }) => (state === KeyState.UNKNOWN ? unknownKeyTtlMs : knownKeyTtlMs),
    max: maxCachedKeys,
  });
  notices.subscribe("key.changed", keys.delete);

  return async ({ req, headers, requestId }) => {
    const key = bearerToken(req.headers.authorization);
    const keyHash = hash("sha256", key);
    const { state, keyId, accountId, channel, admission } = await keys.get(keyHash);
    if (channel === settlementChannel) headers["inference-id"] = requestId;
    if (state === KeyState.ACTIVE) return { keyId, accountId, channel, admission, keyHash };
    if (state === KeyState.REVOKED) throw keyRevoked();
    throw new GatewayError("invalid_api_key", "This API key is unknown.");
  };
}

/** A lookup for open streams is repeated soon, so it does not wait for long. */
const revokedKeysTimeoutMs = 2_000;

/** Resolves with those of the given keys that are revoked, by their SHA-256 in hex. */
export async function findRevokedKeys(
  billing: Client<typeof BillingService>,
  keyHashes: readonly string[],
): Promise<string[]> {
  const request = { keyHashes: keyHashes.map((keyHash) => Buffer.from(keyHash, "hex")) };
  const { keys } = await billing.findEndedKeys(request, { timeoutMs: revokedKeysTimeoutMs });
  return keys.map(({ keyHash }) => Buffer.from(keyHash).toString("hex"));
}

/** Throws `channel_key_required` unless the key belongs to a settlement channel. */
export function requireSettlementKey({ channel }: Principal): void {
  if (channel === settlementChannel) return;
  const message = "This route requires a settlement-channel key.";
  throw new GatewayError("channel_key_required", message);
}

/** Returns the error of a request whose key is revoked. */
export function keyRevoked(): GatewayError {
  return new GatewayError("key_revoked", "This API key has been revoked.");
}

const keyPrefix = "sk-tollgate-";
const maxKeyLength = 256;

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    const message = "An API key is required. Send it as Authorization: Bearer sk-tollgate-…";
    throw new GatewayError("invalid_api_key", message);
  }
  const [, key = ""] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (!key.startsWith(keyPrefix) || key.length > maxKeyLength) {
    throw new GatewayError("invalid_api_key", "This is not an API key of this service.");
  }
  return key;
}
