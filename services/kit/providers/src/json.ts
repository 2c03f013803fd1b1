import type { Model, Slot } from "@tollgate/catalog/model";
import type { RouteType } from "@tollgate/catalog/route-types";
import type { JsonObject } from "@tollgate/core/json";
import type { JsonBytes, PostCall, ProviderClient } from "@tollgate/upstream/provider-client";
import { readJson, readJsonObject } from "@tollgate/upstream/provider-response";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { notSupported } from "./not-supported.ts";
import { vendorOf } from "./vendor-of.ts";

/** A JSON response: its bytes and its value. */
export interface JsonResponse {
  bytes: Uint8Array;
  value: unknown;
}

/**
 * Throws `invalid_param` where a slot of the model cannot be sent the whole request. `body` is the
 * client's, and `others` the members that it has besides. The body is parsed only where a slot's kind
 * refuses something.
 */
export function checkJson(
  { chain, routeType }: Model,
  body: Uint8Array,
  others: JsonObject = {},
): void {
  let members: JsonObject | undefined;
  for (const slot of chain) {
    const { json, refusedMembers } = vendorOf(slot);
    const names = refusedMembers[routeType] ?? [];
    const check = json[routeType]?.check;
    if (names.length === 0 && check === undefined) continue;
    members ??= { ...membersOf(body), ...others };
    for (const name of names) if (members[name] != null) throw notSupported(name);
    check?.(slot, members);
  }
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
  body: JsonBytes,
  call: PostCall,
): Promise<JsonResponse> {
  const adapter = vendorOf(slot).json[routeType];
  if (adapter === undefined) return readJson(await providers.post(slot, body, call), call.signal);
  const members = membersOf(body);
  const sent = Buffer.from(JSON.stringify(adapter.request(slot, members)));
  const response = await providers.post(slot, sent, call);
  const { value: own } = await readJsonObject(response, call.signal);
  refuseReportedError(own);
  const value = adapter.response(own, members);
  return { bytes: Buffer.from(JSON.stringify(value)), value };
}

function membersOf(body: JsonBytes): JsonObject {
  const bytes = body instanceof Uint8Array ? body : Buffer.concat(body);
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as JsonObject;
}
