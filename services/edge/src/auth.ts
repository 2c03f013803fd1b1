import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { GatewayError } from "@tollgate/core/errors";
import {
  type BillingService,
  type FindKeyResponse,
  KeyState,
} from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import type { Notices } from "@tollgate/runtime/broker/notices";
import { createBelieved } from "./believed.ts";
import type { AnswerHeaders } from "./exchange.ts";

/** How long an answer about a key is believed; a revoked key is dropped at once by a notice. */
const knownKeyMs = 5_000;
/** A key that is not known may be made the next moment. */
const unknownKeyMs = 500;
const maxCachedKeys = 50_000;
/** The channel of keys that may look up what requests cost. */
export const settlementChannel = "settlement";

/** Whose key a request came with. */
export interface Principal {
  keyId: string;
  accountId: string;
  /** What the key was made for besides ordinary calls; empty for most. */
  channel: string;
  /** The key's SHA-256, in hex. */
  keyHash: string;
}

/** What of a request authentication looks at, and where it may add to the headers of its answer. */
export interface AuthenticatedRequest {
  req: { headers: IncomingHttpHeaders };
  headers: AnswerHeaders;
  requestId: string;
}

/**
 * Authenticates by the `Authorization` header. Raises `invalid_api_key` and `key_revoked`. Answers
 * to a settlement-channel key also carry the request id as `Inference-Id`.
 */
export type Authenticate = (request: AuthenticatedRequest) => Promise<Principal>;

export function createAuthenticate(
  billing: Client<typeof BillingService>,
  notices: Notices,
): Authenticate {
  const keys = createBelieved<FindKeyResponse>({
    ask: (keyHash) => billing.findKey({ keyHash: Buffer.from(keyHash, "hex") }),
    believedMs: ({ state }) => (state === KeyState.UNKNOWN ? unknownKeyMs : knownKeyMs),
    max: maxCachedKeys,
  });
  notices.subscribe("key.revoked", keys.forget);

  return async ({ req, headers, requestId }) => {
    const key = bearerToken(req.headers.authorization);
    const keyHash = hash("sha256", key);
    const { state, keyId, accountId, channel } = await keys.get(keyHash);
    if (channel === settlementChannel) headers["inference-id"] = requestId;
    if (state === KeyState.ACTIVE) return { keyId, accountId, channel, keyHash };
    if (state === KeyState.REVOKED) throw keyRevoked();
    throw new GatewayError("invalid_api_key", "This API key is not known.");
  };
}

export function keyRevoked(): GatewayError {
  return new GatewayError("key_revoked", "This API key has been revoked.");
}

const keyPrefix = "sk-tollgate-";
const maxKeyLength = 256;

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    const message = "An API key is needed: send it as Authorization: Bearer sk-tollgate-…";
    throw new GatewayError("invalid_api_key", message);
  }
  const [, key = ""] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (!key.startsWith(keyPrefix) || key.length > maxKeyLength) {
    throw new GatewayError("invalid_api_key", "This is no API key of this service.");
  }
  return key;
}
