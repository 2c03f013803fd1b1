import type { Model, RouteType, Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { NanoUsd } from "@tollgate/core/money";
import { measureUnits, type UsedUnits } from "@tollgate/metering/measurement";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { SlotFailure } from "@tollgate/upstream/failure";
import { spliceBody } from "@tollgate/upstream/json-body";
import { type ProviderClient, readJson } from "@tollgate/upstream/provider-client";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { dearestCostOfUnits, type Pipeline } from "./pipeline.ts";

/** A validated request of a route that answers one JSON with another. */
export interface JsonCall {
  caller?: Caller | undefined;
  alias: string;
  /** A JSON object: the client's body without what the gateway decides. */
  body: Uint8Array;
}

/** What a slot is asked under. */
export interface Asked {
  model: Model;
  slot: Slot;
  held: NanoUsd;
}

/** What is particular to such a route. It bills one unit; its price is the slot's input price. */
export interface JsonRoute<Call extends JsonCall> {
  routeType: RouteType;
  /** The units that the call uses at the most. */
  bound(call: Call, model: Model): bigint;
  /** What the gateway decides of a slot's body, besides the model. */
  decide?(call: Call, asked: Asked): JsonObject;
  /** Members of which an answer has one as a list, where it is not a list itself. */
  lists?: readonly string[];
  /** Measures an answer. Raises a SlotFailure for one that is of no use. */
  measure(answer: JsonObject, call: Call, asked: Asked): UsedUnits;
}

export interface JsonAnswer {
  /** As the provider wrote it. */
  bytes: Uint8Array;
  /** Its members; an array has none. */
  value: JsonObject;
  used: UsedUnits;
  cost: NanoUsd;
}

/**
 * Serves one call of a JSON route, from its alias to its usage event. Raises what the
 * pipeline raises.
 */
export async function serveJson<Call extends JsonCall>(
  { pipeline, providers }: { pipeline: Pipeline; providers: ProviderClient },
  route: JsonRoute<Call>,
  call: Call,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const model = pipeline.resolve(call.alias, route.routeType);
  const { requestId = "" } = call.caller ?? {};
  const { answer, cost } = await pipeline.run({
    caller: call.caller,
    model,
    estimate: dearestCostOfUnits(model, route.bound(call, model)),
    async ask(slot, held) {
      const asked = { model, slot, held };
      const decided = { model: slot.upstreamModel, ...route.decide?.(call, asked) };
      const body = spliceBody(decided, call.body);
      const accept = "application/json";
      const response = await providers.post(slot, body, { accept, requestId, signal });
      const { bytes, value: json } = await readJson(response, signal);
      const value = membersOf(json, route.lists);
      return { bytes, value, used: route.measure(value, call, asked) };
    },
    measure: ({ used }, slot) => measureUnits(used, slot),
  });
  return { ...answer, cost };
}

function membersOf(json: unknown, lists: JsonRoute<JsonCall>["lists"]): JsonObject {
  if (Array.isArray(json)) return {};
  if (!isJsonObject(json)) {
    throw new SlotFailure("rejected", "the provider's answer is no JSON object or array");
  }
  refuseReportedError(json);
  if (lists === undefined || lists.some((name) => Array.isArray(json[name]))) return json;
  throw new SlotFailure("rejected", `the provider's answer lists no ${lists.join(" or ")}`);
}
