import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type Timestamp, timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { GatewayError } from "@tollgate/core/errors";
import { keyPrefix, shownKey } from "@tollgate/core/key-form";
import {
  type BillingService,
  type FindKeyResponse,
  KeyState,
} from "@tollgate/proto/tollgate/v1/billing";
import type { Admission } from "@tollgate/proto/tollgate/v1/caller";
import type { Client } from "@tollgate/rpc/implementation";
import type { Notices } from "@tollgate/runtime/broker/notices";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { createRefreshingCache } from "./refreshing-cache.ts";

/** How long a key's state is cached. A notice removes a revoked key at once. */
const knownKeyTtlMs = 5_000;
/** Shorter, because a key that is unknown now may be created at any moment. */
const unknownKeyTtlMs = 500;
const maxCachedKeys = 50_000;
const settlementChannel = "settlement";

/** Which API key a route requires. */
export type Auth = "key" | "key in either header" | "optional key" | "settlement key" | "none";

/** The key that a request is authenticated by. */
export interface Principal {
  keyId: string;
  accountId: string;
  /** The key's channel. Empty for ordinary keys. */
  channel: string;
  /** The admission policy of the account. A change arrives when the cached key is refreshed. */
  admission: Admission;
  /** The plan of the account; empty for none. A change arrives as that of the policy does. */
  plan: string;
  /** The aliases that the key may call, as globs. Empty: all that are public. */
  models: string[];
  /** Whether the key or its account has limits. */
  isLimited: boolean;
  /** Whether the account stores prompts and responses. */
  storesContent: boolean;
  /** Under which the account's end users are hashed. Empty: they are kept as named. */
  endUserSalt: string;
  /** The key's own limit of requests. Undefined: none. */
  requestsPerMinute: number | undefined;
  /** The key's SHA-256, in hex. */
  keyHash: string;
}

/** The part of a request that is authenticated, and the headers of its response. */
export interface AuthenticatedRequest {
  readonly req: { headers: IncomingHttpHeaders };
  readonly headers: Record<string, string>;
  readonly requestId: string;
  /** Set once the key is found, also where it is refused. */
  keyId?: string;
  accountId?: string;
  /** The key of the request as `shownKey` returns it. */
  shownKey?: string;
}

/**
 * Authenticates a request by its `Authorization` header, or by the one that is given. Throws
 * `invalid_api_key`, `key_revoked`, and `credit_balance_exhausted` for a frozen account. Responses to a settlement-channel key also carry the request id
 * as `Inference-Id`.
 */
export type Authenticate = (
  request: AuthenticatedRequest,
  authorization?: string,
) => Promise<Principal>;

/**
 * Creates the function that authenticates requests. It caches keys, and drops those that are reported
 * as changed. The expiry of a cached key is checked for every request.
 */
export function createAuthenticate(
  billing: Client<typeof BillingService>,
  notices: Pick<Notices, "subscribe" | "onMissed">,
  { metrics, now }: { metrics: Pick<Metrics, "limitRefusals">; now(): Date },
): Authenticate {
  const keys = createRefreshingCache<FindKeyResponse>({
    load: (keyHash) => billing.findKey({ keyHash: Buffer.from(keyHash, "hex") }),
    ttlMs: ({ state }) => (state === KeyState.UNKNOWN ? unknownKeyTtlMs : knownKeyTtlMs),
    max: maxCachedKeys,
  });
  notices.subscribe("key.changed", keys.delete);
  notices.subscribe("account.changed", (changed) => {
    keys.deleteWhere(({ accountId }) => accountId === changed);
  });
  notices.onMissed(() => keys.deleteWhere(() => true));

  return async (request, authorization = request.req.headers.authorization) => {
    const { headers, requestId } = request;
    const key = bearerToken(authorization);
    request.shownKey = shownKey(key);
    const keyHash = hash("sha256", key);
    const found = await keys.get(keyHash);
    const { state, channel, expiresAt } = found;
    if (found.keyId !== "") {
      request.keyId = found.keyId;
      request.accountId = found.accountId;
    }
    if (channel === settlementChannel) headers["inference-id"] = requestId;
    if (state === KeyState.REVOKED) throw keyRevoked();
    if (state === KeyState.EXPIRED || isPast(expiresAt, now)) {
      metrics.limitRefusals.inc({ limit: "expired" });
      throw keyExpired(expiresAt);
    }
    if (state === KeyState.FROZEN) throw accountFrozen();
    if (state !== KeyState.ACTIVE) throw keyUnknown();
    const { keyId, accountId, admission, plan, models, isLimited, requestsPerMinute } = found;
    const { storesContent, endUserSalt } = found;
    const more = { isLimited, requestsPerMinute, storesContent, endUserSalt };
    return { keyId, accountId, channel, admission, plan, models, ...more, keyHash };
  };
}

/** A lookup for open streams is repeated soon, so it does not wait for long. */
const endedKeysTimeoutMs = 2_000;

/**
 * Resolves with those of the given keys that are revoked or expired: the error of each, by the key's
 * SHA-256 in hex.
 */
export async function findKeyErrors(
  billing: Client<typeof BillingService>,
  keyHashes: readonly string[],
): Promise<ReadonlyMap<string, GatewayError>> {
  const request = { keyHashes: keyHashes.map((keyHash) => Buffer.from(keyHash, "hex")) };
  const { keys } = await billing.findEndedKeys(request, { timeoutMs: endedKeysTimeoutMs });
  return new Map(
    keys.map(({ keyHash, state }) => [
      Buffer.from(keyHash).toString("hex"),
      state === KeyState.EXPIRED ? keyExpired() : keyRevoked(),
    ]),
  );
}

/** Throws `channel_key_required` unless the key belongs to a settlement channel. */
export function requireSettlementKey({ channel }: Principal): void {
  if (channel !== settlementChannel) throw channelKeyRequired();
}

/** Returns the error of a request to a route of settlement channels with another key. */
export function channelKeyRequired(): GatewayError {
  return new GatewayError("channel_key_required", "This route requires a settlement-channel key.");
}

/** Returns the error of a request whose key does not exist. */
export function keyUnknown(): GatewayError {
  return new GatewayError("invalid_api_key", "This API key is unknown.");
}

/** Returns the error of a request whose key is revoked. */
export function keyRevoked(): GatewayError {
  return new GatewayError("key_revoked", "This API key has been revoked.");
}

function accountFrozen(): GatewayError {
  const message = "The wallet of this account is frozen. Contact the operator of the gateway.";
  return new GatewayError("credit_balance_exhausted", message);
}

function keyExpired(expiresAt?: Timestamp): GatewayError {
  const at = expiresAt === undefined ? "" : ` at ${timestampDate(expiresAt).toISOString()}`;
  return new GatewayError("invalid_api_key", `This API key expired${at}. Use another key.`);
}

function isPast(time: Timestamp | undefined, now: () => Date): boolean {
  return time !== undefined && timestampMs(time) <= now().getTime();
}

/** Returns the `Authorization` header of a request, or its `x-api-key` in the same form. */
export function authorizationOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization, "x-api-key": key } = headers;
  return authorization ?? (typeof key === "string" ? `Bearer ${key}` : undefined);
}

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
