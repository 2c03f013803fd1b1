import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import { replaceMembers } from "@tollgate/core/json-members";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import type { ProviderResponse } from "@tollgate/upstream/provider-response";
import { requestIdHeader } from "@tollgate/upstream/request-id-header";
import type { ClientRequest } from "./client-request.ts";
import type { Sending } from "./wire.ts";

/** How a wire's request is changed where it is forwarded. */
export interface ForwardedRequest {
  /** The member with the output limit. */
  limitMember: string;
  /** Returns further members that the gateway sets, as JSON text, for a model that allows this. */
  ownMembers(allows: ReadonlySet<string>): Readonly<Record<string, string>>;
  /** Throws `credit_balance_exhausted` for a request that cannot have so low an output limit. */
  checkLimit(request: JsonObject, maxTokens: bigint): void;
  /** Whether a body may have what other providers have generated and the wire's would refuse. */
  mayBeForeign(body: Buffer): boolean;
  /** Returns a request without that; the same object where there is none. */
  withoutForeign(request: JsonObject): JsonObject;
}

/**
 * Posts the client's own bytes to a path of a slot's provider, with the provider's name of the model and
 * the members that the gateway sets, and a lower output limit where `maxTokens` is less than the client's.
 * Throws what `ProviderClient.send` and `checkLimit` throw.
 */
export function forwardRequest(
  providers: ProviderClient,
  form: ForwardedRequest,
  client: ClientRequest,
  slot: Slot,
  { path, isStream, maxTokens, signal }: Omit<Sending, "session"> & { path: string },
): Promise<ProviderResponse> {
  const { call } = client;
  const model = JSON.stringify(slot.upstreamModel);
  const values: Record<string, string> = { ...form.ownMembers(client.allows), model };
  if (call.maxTokens !== maxTokens) {
    form.checkLimit(client.json, maxTokens);
    values[form.limitMember] = String(maxTokens);
  }
  const body = replaceMembers(ownBody(form, client), values);
  const headers = headersToForward(call, isStream ? "text/event-stream" : "application/json");
  return providers.send(slot, { method: "POST", path, headers, body }, signal);
}

/** Returns the headers of a forwarded request: the client's, and ours. */
export function headersToForward(
  { caller, headers }: Pick<ChatCall, "caller" | "headers">,
  accept: string,
): Record<string, string> {
  const ours = requestIdHeader(caller?.requestId ?? "");
  return { "content-type": "application/json", accept, ...ours, ...headers };
}

/**
 * Returns the client's bytes, without what another slot has generated and the provider would refuse: a
 * session may have been served by several.
 */
export function ownBody(
  form: Pick<ForwardedRequest, "mayBeForeign" | "withoutForeign">,
  client: ClientRequest,
): Buffer {
  const { bytes } = client;
  if (!form.mayBeForeign(bytes)) return bytes;
  const sent = form.withoutForeign(client.json);
  return sent === client.json ? bytes : Buffer.from(JSON.stringify(sent));
}
