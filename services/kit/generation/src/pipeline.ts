import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Catalog,
  type Model,
  type Pricing,
  type RouteType,
  type Slot,
  servableModel,
} from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { costOf, type NanoUsd } from "@tollgate/core/money";
import type { Tracer } from "@tollgate/core/tracing/tracer";
import type { Measurement } from "@tollgate/metering/measurement";
import { completedFields, failedFields, modelFields } from "@tollgate/metering/usage-event-fields";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { createBreakers } from "@tollgate/upstream/breaker";
import { type Served, walkChain } from "@tollgate/upstream/chain";
import {
  chainParts,
  countUsage,
  type Generation,
  type GenerationParts,
  openGeneration,
  tellGeneration,
} from "./generation.ts";
import { traceOpen, traceWalk } from "./traced-generation.ts";

/**
 * The way of every billable request, the same in all services:
 * resolve alias → hold → call the chain of slots → measure usage → publish usage event → answer.
 */
export interface Pipeline {
  /** The model behind an alias. Raises `model_not_found`, with no hint why. */
  resolve(alias: string, routeType: RouteType): Model;
  /**
   * Walks a model's chain for what costs nothing; see `walkChain`. What comes of it takes no slot
   * out for what costs something, and brings none back.
   */
  walk<Answer>(model: Model, attempt: (slot: Slot) => Promise<Answer>): Promise<Served<Answer>>;
  /** Takes the hold. What it answers must be ended, by `complete` or by `fail`. */
  open(
    caller: Caller | undefined,
    model: Model,
    estimate: NanoUsd,
    conversationId?: string,
  ): Promise<Generation>;
  /**
   * Meters what ended long after its request, without a hold: an event id is charged once, and no
   * more than what is free, however often this is called; it is counted and logged each time.
   * Resolves once its event is safe.
   */
  record(ending: LateEnding): Promise<void>;
  /** The rest of the way for an answer that comes whole. Answers it with the charge. */
  run<Answer>(order: Order<Answer>): Promise<Served<Answer> & { cost: NanoUsd }>;
}

/** A generation that was begun by one request and seen ended by another. */
export interface LateEnding {
  eventId: string;
  caller: Caller;
  model: Model;
  slot: Slot;
  /** Undefined when it failed, and is not billed. */
  measured: Measurement | undefined;
}

/** A request whose answer comes whole, and what is particular to it. */
export interface Order<Answer> {
  caller: Caller | undefined;
  model: Model;
  estimate: NanoUsd;
  /** What the ledger links the charge to. */
  conversationId?: string | undefined;
  /** Asks one slot. Raises a SlotFailure when it did not serve. */
  ask(slot: Slot, held: NanoUsd): Promise<Answer>;
  measure(answer: Answer, slot: Slot): Measurement;
  /** Called before the charge is made. What it raises fails the generation. */
  beforeCharge?: ((answer: Answer, charge: NanoUsd) => Promise<void>) | undefined;
}

export interface PipelineParts extends GenerationParts {
  catalog(): Catalog;
  tracer?: Tracer | undefined;
}

/** How much of an unknown alias a client is shown again. */
const maxAliasShown = 200;

export function createPipeline(parts: PipelineParts): Pipeline {
  const { tracer } = parts;
  const openPlain: Pipeline["open"] = (caller, model, estimate, conversationId) =>
    openGeneration(parts, caller, model, estimate, conversationId);
  // Whoever has no money to spend must not be able to take a slot out for those who have.
  const free = { ...parts, breakers: createBreakers(() => performance.now()) };
  const walkPlain: Pipeline["walk"] = (model, attempt) =>
    walkChain(model.chain, attempt, chainParts(free, model));
  const open = tracer === undefined ? openPlain : traceOpen(openPlain, tracer);
  return {
    resolve(alias, routeType) {
      const model = servableModel(parts.catalog(), alias, routeType);
      if (model !== undefined) return model;
      const name = JSON.stringify(alias.slice(0, maxAliasShown));
      const message = `No model of this route is called ${name}.`;
      throw new GatewayError("model_not_found", message, { param: "model" });
    },
    walk: tracer === undefined ? walkPlain : traceWalk(walkPlain, tracer),
    open,
    async record({ eventId, caller, model, slot, measured }) {
      const { publisher, metrics, log, now } = parts;
      const { requestId, accountId, keyId } = caller;
      const usage = measured === undefined ? failedFields : completedFields(slot, measured);
      const event = create(UsageEventSchema, {
        id: eventId,
        requestId,
        accountId,
        keyId,
        ...modelFields(model),
        ...usage,
        occurredAt: timestampFromDate(now()),
      });
      const cost = measured === undefined ? undefined : usage.costNanoUsd;
      if (cost !== undefined) countUsage(metrics, model, usage);
      tellGeneration(log, { caller, model, slotId: slot.id, cost });
      await publisher.publish(event);
    },
    async run<Answer>(order: Order<Answer>) {
      const { caller, model, estimate, conversationId, ask, measure, beforeCharge } = order;
      const generation = await open(caller, model, estimate, conversationId);
      let served: Served<Answer>;
      let measured: Measurement;
      try {
        served = await generation.call((slot) => ask(slot, generation.held));
        measured = measure(served.answer, served.slot);
        generation.answered(measured);
        if (beforeCharge !== undefined) {
          await beforeCharge(served.answer, generation.chargeOf(measured));
        }
      } catch (error) {
        await generation.fail(error);
        throw error;
      }
      const cost = await generation.complete(served.slot, measured);
      return { slot: served.slot, answer: served.answer, cost };
    },
  };
}

/** The cost at the dearest slot of the chain: the hold comes before the routing. */
export function dearestCost(model: Model, costAt: (pricing: Pricing) => NanoUsd): NanoUsd {
  let dearest = 0n;
  for (const { pricing } of model.chain) {
    const cost = costAt(pricing);
    if (cost > dearest) dearest = cost;
  }
  return dearest;
}

/** The same where one unit is billed, at the slot's input price. */
export function dearestCostOfUnits(model: Model, quantity: bigint): NanoUsd {
  return dearestCost(model, ({ input }) => costOf([{ quantity, price: input }]));
}
