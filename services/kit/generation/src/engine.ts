import {
  type Catalog,
  type Model,
  modelAtPlan,
  type Slot,
  servableModel,
} from "@tollgate/catalog/model";
import type { RouteType } from "@tollgate/catalog/route-types";
import { GatewayError, serviceUnavailable } from "@tollgate/core/errors";
import { traced } from "@tollgate/core/tracing";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { type Breakers, createBreakers } from "@tollgate/upstream/breaker";
import { type Served, walkChain } from "@tollgate/upstream/chain";
import { LoadBalancer } from "@tollgate/upstream/load-balancer";
import type { SharedSlotUses } from "@tollgate/upstream/shared-slot-uses";
import { startAttempt, withAttempt } from "@tollgate/upstream/traced-requests";
import { chainOptions } from "./attempts.ts";
import type { BillableCall, Generation } from "./generation.ts";
import { JobHolds } from "./job-holds.ts";
import { type LateUsage, recordLateUsage } from "./late-usage.ts";
import type { GenerationDependencies } from "./open-generation.ts";
import { runSettled, streamSettled } from "./scope.ts";
import { SwitchedBreakers } from "./switched-breakers.ts";

/**
 * The steps of every billable request, the same on all routes: resolve the alias → take the hold →
 * attempt the slots of the chain → measure the usage → publish the usage event → settle. A route
 * supplies only its own part.
 */
export interface Engine {
  /**
   * Returns the model of an alias that the caller may use, at the prices of its plan. Throws
   * `model_not_found`, whose message does not say why.
   */
  resolve(alias: string, routeType: RouteType, caller: Caller | undefined): Model;
  /**
   * Takes the hold of a call, and runs `work` with its generation. The generation is always
   * settled: by `Generation.settle` in `work`, else when `work` ends, as `Generation.billPartial`
   * sets. Throws what taking a hold throws, and what `work` throws.
   */
  generate<T>(call: BillableCall, work: (generation: Generation) => Promise<T>): Promise<T>;
  /**
   * Does the same for a response that is sent in chunks. `work` also ends when the reader of the
   * stream stops reading. A SlotFailure after the first chunk becomes `upstream_rejected`.
   */
  stream<Chunk>(
    call: BillableCall,
    work: (generation: Generation) => AsyncIterable<Chunk>,
  ): AsyncGenerator<Chunk>;
  /** The holds of jobs, which are billed after the request that created them. */
  readonly jobHolds: JobHolds;
  /**
   * Attempts the slots of a model for a request that costs nothing itself; see `walkChain`. Its
   * attempts do not change the circuit breakers of billable requests: clients without money could take a slot
   * out for paying clients. The limits of slots do not apply to them, unless `isCounted` is true, as for the
   * creation of a job, which is paid later.
   */
  attemptFree<Response>(
    model: Model,
    attempt: (slot: Slot) => Promise<Response>,
    caller: Caller | undefined,
    isCounted?: boolean,
  ): Promise<Served<Response>>;
  /**
   * Returns whether a slot may be called now, as far as this process knows: its limits admit a call, and no
   * operator has disabled it.
   */
  hasRoom(slot: Slot): boolean;
  /** Bills a generation that ended after its request; see `recordLateUsage`. */
  recordLate(usage: LateUsage): Promise<void>;
}

export interface EngineDependencies extends Omit<GenerationDependencies, "balancer"> {
  catalog(): Catalog;
  /** Returns whether `catalog` returns the newest catalog. */
  isCatalogNewest(): boolean;
  /** The breakers of requests that cost nothing. Default: breakers that no one else changes. */
  freeBreakers?: Breakers;
  /** Returns whether an operator has disabled a slot, so that no request is sent to it. Default: none. */
  isDisabled?(slotId: string): boolean;
  /** Counts the calls of slots with limits over all replicas. Default: the calls of this process count. */
  slotUses?: SharedSlotUses;
}

/** How much of an unknown alias an error message repeats. */
const maxAliasShown = 200;

export function createEngine(parts: EngineDependencies): Engine {
  const balancer = new LoadBalancer(() => performance.now(), Math.random, parts.slotUses);
  const { isDisabled = () => false, freeBreakers = createBreakers(() => performance.now()) } =
    parts;
  const switched = (breakers: Breakers) => new SwitchedBreakers(breakers, isDisabled);
  const dependencies = { ...parts, balancer, breakers: switched(parts.breakers) };
  const free = { ...dependencies, breakers: switched(freeBreakers) };
  return {
    resolve(alias, routeType, caller) {
      const models = caller?.models ?? [];
      const catalog = dependencies.catalog();
      const model = servableModel(catalog, alias, routeType, models);
      if (model !== undefined) return modelAtPlan(catalog, model, caller?.plan ?? "");
      if (servableModel(catalog, alias, routeType, []) !== undefined) {
        dependencies.metrics.limitRefusals.inc({ limit: "models" });
      }
      // Another replica may have the model.
      if (!dependencies.isCatalogNewest()) throw serviceUnavailable();
      const name = JSON.stringify(alias.slice(0, maxAliasShown));
      const message = `No model of this route is called ${name}.`;
      throw new GatewayError("model_not_found", message, { param: "model" });
    },
    generate: (call, work) => runSettled(dependencies, call, work),
    stream: (call, work) => streamSettled(dependencies, call, work),
    jobHolds: new JobHolds(dependencies),
    hasRoom: (slot) => !isDisabled(slot.id) && balancer.waitMs(slot, 0) === 0,
    attemptFree: (model, attempt, caller, isCounted) =>
      walkChain(
        model,
        (slot) => {
          const span = startAttempt(model, slot);
          return traced(span, () => withAttempt(span, () => attempt(slot)));
        },
        { ...chainOptions(free, model, caller?.accountId ?? ""), isFree: isCounted !== true },
      ),
    recordLate: (usage) => recordLateUsage(dependencies, usage),
  };
}
