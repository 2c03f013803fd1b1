import { create } from "@bufbuild/protobuf";
import type { Model, PricePlan, Slot } from "@tollgate/catalog/model";
import { createLog } from "@tollgate/core/log";
import type { Measurement } from "@tollgate/metering/measurement";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { createBreakers } from "@tollgate/upstream/breaker";
import { ProviderRequestIds } from "@tollgate/upstream/provider-request-ids";
import { vi } from "vitest";
import { createEngine, type EngineDependencies } from "../src/engine.ts";
import type { BillableCall } from "../src/generation.ts";
import { createRunningGenerations } from "../src/running-generations.ts";

export const price = { picoUsd: 1_000_000n, per: 1n };
export const near = slotAt("near");
export const far = slotAt("far");
export const model = {
  alias: "model",
  routeType: "images",
  unitType: "images",
  chain: [near, far] as readonly Slot[],
} as Model;

function slotAt(name: string): Slot {
  const pricing = { input: price };
  return { id: `${name}/m`, provider: { name }, upstreamModel: "m", pricing } as Slot;
}

interface EngineWorldOptions extends Pick<EngineDependencies, "freeBreakers" | "isDisabled"> {
  chargeId?: string;
  models?: Map<string, Model>;
  plans?: Map<string, PricePlan>;
}

/** Creates an engine whose holds always succeed, and collects the events that it publishes. */
export function engineWorld({
  chargeId = "",
  models = new Map<string, Model>(),
  plans = new Map<string, PricePlan>(),
  ...more
}: EngineWorldOptions = {}) {
  const events: UsageEvent[] = [];
  const settle = vi.fn((_cost: bigint) => ({ holdId: "", sharedHoldId: "", sharedNanoUsd: 0n }));
  const leave = vi.fn();
  const hold = { amount: 100_000n, grow: vi.fn(), leave, settle, stopExtending() {} };
  const running = createRunningGenerations(100);
  const breakers = createBreakers(() => 0);
  const metrics = createMetrics();
  const requestIds = new ProviderRequestIds();
  const engine = createEngine({
    ...more,
    breakers,
    redact: (_: unknown, text: string) => text,
    requestIds,
    running,
    log: createLog("silent"),
    metrics,
    catalog: () => ({ models, plans }),
    isCatalogNewest: () => true,
    holds: { take: async () => hold },
    publisher: { publish: async (event: UsageEvent) => void events.push(event) },
    charges: { find: async () => 6_000n },
    now: () => new Date(),
  } as unknown as EngineDependencies);
  const caller = create(CallerSchema, { requestId: "req_1", accountId: "a", chargeId });
  const call: BillableCall = { caller, model, estimate: 100_000n };
  return { engine, call, events, breakers, metrics, hold, running, requestIds };
}

export function images(quantity: bigint): Measurement {
  return { quantity, basis: "provider", lines: [{ dimension: "images", quantity, price }] };
}
