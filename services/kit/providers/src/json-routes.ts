import type { Model, Slot } from "@tollgate/catalog/model";
import type { RouteType } from "@tollgate/catalog/route-types";
import type { JsonObject } from "@tollgate/core/json";
import type { PostCall, ProviderClient } from "@tollgate/upstream/provider-client";
import { readJson, readJsonObject } from "@tollgate/upstream/provider-response";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { spliceBody } from "@tollgate/upstream/splice-body";
import type { ClientBody } from "./client-body.ts";
import { notSupported } from "./not-supported.ts";
import { vendorOf } from "./vendor-of.ts";

/** The body for a slot. */
export interface SlotBody {
  /** The members that the gateway sets. */
  own: JsonObject;
  client: ClientBody;
}

/** A JSON response: its bytes and its value. */
export interface JsonResponse {
  bytes: Uint8Array;
  value: unknown;
}

/**
 * Throws `invalid_param` where a slot of the model cannot be sent the whole request. `others` are the
 * members that the request has besides its body. The body is parsed only where a slot's kind refuses
 * something.
 */
export function checkJson(
  { chain, routeType }: Model,
  body: ClientBody,
  others: JsonObject = {},
): void {
  let members: JsonObject | undefined;
  for (const slot of chain) {
    const { json, refusedMembers } = vendorOf(slot);
    const names = refusedMembers[routeType] ?? [];
    const check = json[routeType]?.check;
    if (names.length === 0 && check === undefined) continue;
    members ??= { ...body.members, ...others };
    for (const name of names) if (members[name] != null) throw notSupported(name);
    check?.(slot, members);
  }
}

/** Returns the client's bytes, or what is left of its members where some are omitted. */
function forwardedBody(own: JsonObject, client: ClientBody, omitted: readonly string[]): Buffer {
  if (omitted.every((name) => client.members[name] === undefined)) {
    return spliceBody(own, client.bytes);
  }
  const members = { ...own, ...client.members };
  for (const name of omitted) delete members[name];
  return Buffer.from(JSON.stringify(members));
}

/**
 * Posts a JSON body to a slot. The bytes are forwarded, both ways, where the provider speaks OpenAI's
 * wire, and translated otherwise. Throws what `ProviderClient.post` throws, and a SlotFailure for a
 * response that is not JSON.
 */
export async function postJson(
  providers: ProviderClient,
  slot: Slot,
  routeType: RouteType,
  { own, client }: SlotBody,
  call: PostCall,
): Promise<JsonResponse> {
  const { json, omittedMembers } = vendorOf(slot);
  const adapter = json[routeType];
  if (adapter === undefined) {
    const omitted = omittedMembers[routeType]?.(slot) ?? [];
    const response = await providers.post(slot, forwardedBody(own, client, omitted), call);
    return readJson(response, call.signal);
  }
  const members = { ...own, ...client.members };
  const sent = Buffer.from(JSON.stringify(adapter.request(slot, members)));
  const response = await providers.post(slot, sent, call);
  const { value: received } = await readJsonObject(response, call.signal);
  refuseReportedError(received, slot.provider.kind);
  const value = adapter.response(received, members);
  return { bytes: Buffer.from(JSON.stringify(value)), value };
}
