import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { WireCall } from "@tollgate/proto/tollgate/v1/wire";
import {
  type ProviderClient,
  type ProviderResponse,
  requestIdHeader,
} from "@tollgate/upstream/provider-client";
import type { PreparedWire } from "./prepared-wire.ts";
import { replaceMembers } from "./replace-members.ts";
import { detailsPrefix } from "./signed-details.ts";
import type { Wire } from "./wire.ts";

/**
 * Posts a request to a slot whose provider speaks its wire: the client's own bytes, with the
 * provider's name of the model, and a lower output limit where `maxTokens` is less than the client's.
 * Throws what `ProviderClient.send` throws, and `credit_balance_exhausted` where the request cannot
 * have so low a limit.
 */
export function postNative(
  providers: ProviderClient,
  { wire, wireCall, request }: PreparedWire,
  slot: Slot,
  path: string,
  { isStream, maxTokens, signal }: { isStream: boolean; maxTokens: bigint; signal: AbortSignal },
): Promise<ProviderResponse> {
  const values: Record<string, string> = { model: JSON.stringify(slot.upstreamModel) };
  if (wireCall.maxTokens !== maxTokens) {
    wire.checkLimit(request, maxTokens);
    values[wire.limitMember] = String(maxTokens);
  }
  const body = replaceMembers(ownBody(wire, wireCall, request), values);
  const headers = {
    "content-type": "application/json",
    accept: isStream ? "text/event-stream" : "application/json",
    ...requestIdHeader(wireCall.caller?.requestId ?? ""),
    ...wireCall.headers,
  };
  return providers.send(slot, { method: "POST", path, headers, body }, signal);
}

/**
 * Returns the client's bytes. After a fail-over, they may have thinking that another slot generated, which
 * the provider would refuse.
 */
function ownBody(wire: Wire, { body }: WireCall, request: JsonObject): Buffer {
  const bytes = Buffer.from(body);
  if (!bytes.includes(`"${detailsPrefix}`)) return bytes;
  return Buffer.from(JSON.stringify(wire.withoutForeignThinking(request)));
}
