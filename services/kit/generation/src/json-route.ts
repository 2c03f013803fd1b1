import type { Model, Slot } from "@tollgate/catalog/model";
import type { RouteType } from "@tollgate/catalog/route-types";
import type { Cancellable } from "@tollgate/core/cancellation";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { NanoUsd } from "@tollgate/core/money";
import { measureUnits, type UsedUnits } from "@tollgate/metering/measurement";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { ClientBody } from "@tollgate/providers/client-body";
import { checkJson, postJson } from "@tollgate/providers/json-routes";
import { SlotFailure } from "@tollgate/upstream/failure";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { highestCostOfUnits } from "./estimate.ts";
import type { ProviderRuntime } from "./provider-runtime.ts";

/** A validated request of a route that takes JSON and returns JSON. */
export interface JsonCall {
  caller?: Caller | undefined;
  alias: string;
  /** A JSON object: the client's body without the members that the gateway sets. */
  body: Uint8Array;
}

/** One attempt at a slot. */
export interface SlotAttempt {
  model: Model;
  slot: Slot;
  held: NanoUsd;
}

/**
 * The particular part of one JSON route. Such a route bills one unit, at the slot's input price.
 */
export interface JsonRoute<Call extends JsonCall> {
  routeType: RouteType;
  /**
   * Returns the model as it is priced for a call. Throws `invalid_param` for a call that it does not
   * take. Default: the model of the alias.
   */
  chooseModel?(model: Model, call: Call): Model;
  /** Returns the upper bound of the units that the call uses. */
  bound(call: Call, model: Model): bigint;
  /**
   * Returns the units below which the call is held only alone; see `HoldTerms.aloneBelow`. Default: the
   * bound.
   */
  least?(call: Call): bigint;
  /** Returns the tokens that the call is likely to use. Routes that count no tokens have none. */
  tokens?(call: Call): bigint;
  /** Returns the members of the client's request that `ownMembers` sets. */
  requested?(call: Call): JsonObject;
  /** Returns the members that the gateway sets in a slot's body, besides the model. */
  ownMembers?(call: Call, attempt: SlotAttempt): JsonObject;
  /** A response that is an object must have one of these members, and it must be a list. */
  lists?: readonly string[];
  /** Returns the usage of a response. Throws a SlotFailure for a response that cannot be used. */
  measure(response: JsonObject, call: Call, attempt: SlotAttempt): UsedUnits;
  /** Returns the response as the client is sent it; undefined where that is the provider's. */
  amend?(response: JsonObject, call: Call): JsonObject | undefined;
}

export interface JsonRouteResponse {
  /** The provider's JSON: unchanged, unless its kind has another wire or the route amends it. */
  bytes: Uint8Array;
  /** The members of an object; an array has none. */
  value: JsonObject;
  used: UsedUnits;
  cost: NanoUsd;
}

/**
 * Serves one call of a JSON route. A provider that was called responds although the caller leaves; see
 * `BillableCall.cancellation`. Throws what the engine throws.
 */
export async function serveJson<Call extends JsonCall>(
  { engine, providers }: Pick<ProviderRuntime, "engine" | "providers">,
  route: JsonRoute<Call>,
  call: Call,
  cancellation: Cancellable,
): Promise<JsonRouteResponse> {
  const { caller, alias } = call;
  const { routeType } = route;
  const resolved = engine.resolve(alias, routeType, caller);
  const model = route.chooseModel?.(resolved, call) ?? resolved;
  const client = new ClientBody(call.body);
  checkJson(model, client, route.requested?.(call));
  const estimate = highestCostOfUnits(model, route.bound(call, model));
  const least = route.least?.(call);
  const aloneBelow = least === undefined ? undefined : highestCostOfUnits(model, least);
  const tokens = route.tokens?.(call);
  const { signal } = cancellation;
  const billable = { caller, model, estimate, aloneBelow, tokens, cancellation };
  return engine.generate(billable, async (generation) => {
    const { slot, response } = await generation.attempt(async (slot) => {
      const attempt = { model, slot, held: generation.held };
      const own = { model: slot.upstreamModel, ...route.ownMembers?.(call, attempt) };
      const { requestId = "" } = caller ?? {};
      const accept = "application/json";
      const sent = { accept, requestId, signal } as const;
      const { bytes, value: json } = await postJson(
        providers,
        slot,
        routeType,
        { own, client },
        sent,
      );
      const value = membersOf(slot, json, route.lists);
      const id = typeof value.id === "string" ? value.id : "";
      generation.identify({ provider: id, client: id });
      const used = route.measure(value, call, attempt);
      const amended = route.amend?.(value, call);
      if (amended === undefined) return { bytes, value, used };
      return { bytes: Buffer.from(JSON.stringify(amended)), value: amended, used };
    });
    const { usage } = response.value;
    const used = isJsonObject(usage) ? { ...response.used, providerUsage: usage } : response.used;
    const cost = await generation.settle(slot, measureUnits(used, slot));
    return { ...response, cost };
  });
}

function membersOf(slot: Slot, json: unknown, lists: JsonRoute<JsonCall>["lists"]): JsonObject {
  if (Array.isArray(json)) return {};
  if (!isJsonObject(json)) {
    throw new SlotFailure("rejected", "the provider's response is not a JSON object or array");
  }
  refuseReportedError(json, slot.provider.kind);
  if (lists === undefined || lists.some((name) => Array.isArray(json[name]))) return json;
  throw new SlotFailure("rejected", `the provider's response has no list ${lists.join(" or ")}`);
}
