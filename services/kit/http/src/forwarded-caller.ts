import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { create } from "@bufbuild/protobuf";
import { type PeerAuth, secretHeader } from "@tollgate/core/peer-auth";
import { Admission, type Caller, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";

const prefix = "x-tollgate-";
const headerOf = {
  requestId: `${prefix}request-id`,
  accountId: `${prefix}account-id`,
  keyId: `${prefix}key-id`,
  admission: `${prefix}admission`,
  plan: `${prefix}plan`,
  models: `${prefix}models`,
  limited: `${prefix}limited`,
  client: `${prefix}client`,
} as const;

/** The response header in which a service names the alias of a form to the edge. */
export const aliasHeader = `${prefix}alias`;

/** An alias that is valid in a header. The aliases of a catalog are never longer. */
const plainAlias = /^[\x21-\x7e]{1,200}$/;

/** Headers that are for the gateway only, or for the client's own connection. */
const dropped = ["authorization", "cookie", "expect", "idempotency-key", "x-request-id"];

/**
 * Prepares a client's headers for a service, in place. Removes secrets and headers with the gateway's
 * prefix, and adds the caller and the secret of the fleet.
 */
export function forwardCaller(
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
  headers[headerOf.admission] = String(caller.admission);
  if (caller.plan !== "") headers[headerOf.plan] = caller.plan;
  if (caller.models.length > 0) headers[headerOf.models] = encodeList(caller.models);
  if (caller.isLimited) headers[headerOf.limited] = "true";
  const client = [caller.endpoint, caller.userAgent, caller.clientRequestId];
  if (client.some((text) => text !== "")) headers[headerOf.client] = encodeList(client);
  if (secret !== undefined) headers[secretHeader] = secret;
}

/** Names the alias of a form to the edge, which logs and counts it. */
export function setAliasHeader(res: ServerResponse, alias: string): void {
  if (plainAlias.test(alias)) res.setHeader(aliasHeader, alias);
}

/** Returns the caller of a proxied request. Throws an Error where the edge did not send it. */
export function readForwardedCaller(headers: IncomingHttpHeaders, peerAuth: PeerAuth): Caller {
  if (!peerAuth.admits(headers[secretHeader]?.toString())) {
    throw new Error("a proxied request must come from the edge");
  }
  const [requestId, accountId, keyId] = [
    headers[headerOf.requestId],
    headers[headerOf.accountId],
    headers[headerOf.keyId],
  ];
  if (typeof requestId === "string" && typeof accountId === "string" && typeof keyId === "string") {
    const admission: Admission = Number(headers[headerOf.admission] ?? Admission.UNSPECIFIED);
    const models = decodeList(headers[headerOf.models]);
    const isLimited = headers[headerOf.limited] === "true";
    const plan = headers[headerOf.plan]?.toString() ?? "";
    const ids = { requestId, accountId, keyId };
    const [endpoint = "", userAgent = "", clientRequestId = ""] = decodeList(
      headers[headerOf.client],
    );
    const client = { endpoint, userAgent, clientRequestId };
    return create(CallerSchema, { ...ids, admission, plan, models, isLimited, ...client });
  }
  throw new Error("a proxied request must carry its caller");
}

/** Encodes texts of any characters for a header. */
function encodeList(texts: readonly string[]): string {
  return Buffer.from(JSON.stringify(texts)).toString("base64url");
}

function decodeList(header: string | string[] | undefined): string[] {
  return typeof header === "string" ? JSON.parse(Buffer.from(header, "base64url").toString()) : [];
}
