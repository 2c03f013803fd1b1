import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { create } from "@bufbuild/protobuf";
import { type PeerAuth, secretHeader } from "@tollgate/core/peer-auth";
import { type Caller, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";

const prefix = "x-tollgate-";
const headerOf = {
  requestId: `${prefix}request-id`,
  accountId: `${prefix}account-id`,
  keyId: `${prefix}key-id`,
} as const;

/** In which a service tells the edge the alias that it found in a form. */
export const aliasHeader = `${prefix}alias`;

/** What fits a header. No alias of a catalog is longer. */
const plainAlias = /^[\x21-\x7e]{1,200}$/;

/**
 * What a client sends for the gateway alone, or that means something only on its own connection.
 */
const dropped = ["authorization", "cookie", "expect", "idempotency-key", "x-request-id"];

/**
 * Makes a client's headers fit to be proxied, in place: secrets and whatever looks like ours go,
 * and the caller is stamped on, with what shows that it was us.
 */
export function stampCaller(
  headers: IncomingHttpHeaders,
  caller: Caller,
  { secret }: PeerAuth,
): void {
  for (const name of Object.keys(headers)) {
    if (name.startsWith(prefix) || dropped.includes(name)) delete headers[name];
  }
  headers[headerOf.requestId] = caller.requestId;
  headers[headerOf.accountId] = caller.accountId;
  headers[headerOf.keyId] = caller.keyId;
  if (secret !== undefined) headers[secretHeader] = secret;
}

/** Tells the edge what a form asks for. */
export function tellAlias(res: ServerResponse, alias: string): void {
  if (plainAlias.test(alias)) res.setHeader(aliasHeader, alias);
}

/** On whose behalf a proxied request came. Raises an Error when the edge has not stamped it. */
export function readStampedCaller(headers: IncomingHttpHeaders, peerAuth: PeerAuth): Caller {
  if (!peerAuth.admits(headers[secretHeader]?.toString())) {
    throw new Error("a proxied request comes from the edge");
  }
  const [requestId, accountId, keyId] = [
    headers[headerOf.requestId],
    headers[headerOf.accountId],
    headers[headerOf.keyId],
  ];
  if (typeof requestId === "string" && typeof accountId === "string" && typeof keyId === "string") {
    return create(CallerSchema, { requestId, accountId, keyId });
  }
  throw new Error("a proxied request carries its caller");
}
