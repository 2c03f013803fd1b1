import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { Outcome, type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import {
  type Catalog,
  type Model,
  type RouteType,
  type Slot,
  servableModel,
} from "./catalog/model.ts";
import { GatewayError } from "./errors.ts";
import type { Log } from "./log.ts";
import type { Holds } from "./metering/holds.ts";
import type { Publisher } from "./metering/publisher.ts";
import { costOf, minOf, type NanoUsd, type Price } from "./money.ts";
import type { Breakers } from "./upstream/breaker.ts";
import { type Served, walkChain } from "./upstream/chain.ts";

/**
 * The way of every billable request, the same in all services:
 * resolve alias → hold → call the chain of slots → measure usage → publish usage event → answer.
 */
export interface Pipeline {
  /** The model behind an alias. Raises `model_not_found`, with no hint why. */
  resolve(alias: string, routeType: RouteType): Model;
  /** Takes the hold. What it answers must be ended, by `complete` or by `fail`. */
  open(caller: Caller, model: Model, estimate: NanoUsd): Promise<Generation>;
}

/** One billable request under way: its money is set aside. */
export interface Generation {
  /** What the hold got: the estimate, or what the wallet had. */
  readonly held: NanoUsd;
  /** Walks the model's chain; see `walkChain`. */
  call<Answer>(attempt: (slot: Slot) => Promise<Answer>): Promise<Served<Answer>>;
  /**
   * Prices what was measured and publishes it. Answers the charge that the client is told, no more
   * than was held, once its event is safe.
   */
  complete(slot: Slot, measured: Measured): Promise<NanoUsd>;
  /** Records a generation that is not billed, and so gives the hold back. Never raises. */
  fail(): Promise<void>;
}

/** What a generation used. */
export interface Measured {
  quantity: bigint;
  /** Where the quantity comes from: `provider`, or the name of a fall-back. */
  basis: string;
  lines: readonly { quantity: bigint; price: Price }[];
  tokens?: { prompt: bigint; completion: bigint; cachedPrompt: bigint };
}

export interface PipelineParts {
  catalog(): Catalog;
  holds: Holds;
  publisher: Publisher;
  breakers: Breakers;
  log: Log;
  now(): Date;
}

export function createPipeline(parts: PipelineParts): Pipeline {
  return {
    resolve(alias, routeType) {
      const model = servableModel(parts.catalog(), alias, routeType);
      if (model !== undefined) return model;
      const message = `No model of this route is called ${JSON.stringify(alias)}.`;
      throw new GatewayError("model_not_found", message, { param: "model" });
    },
    open: (caller, model, estimate) => openGeneration(parts, caller, model, estimate),
  };
}

async function openGeneration(
  parts: PipelineParts,
  caller: Caller,
  model: Model,
  estimate: NanoUsd,
): Promise<Generation> {
  const holdId = caller.requestId;
  // What costs nothing needs no hold, and is served also from an empty wallet.
  const held = estimate === 0n ? 0n : await parts.holds.take(holdId, caller.accountId, estimate);

  async function publish(outcome: Outcome, fields: Partial<UsageEvent>): Promise<void> {
    const event = create(UsageEventSchema, {
      id: caller.requestId,
      requestId: caller.requestId,
      accountId: caller.accountId,
      keyId: caller.keyId,
      holdId: held === 0n ? "" : holdId,
      outcome,
      routeType: model.routeType,
      alias: model.alias,
      unitType: model.unitType,
      occurredAt: timestampFromDate(parts.now()),
    });
    await parts.publisher.publish(Object.assign(event, fields));
    parts.holds.settled(holdId);
  }

  return {
    held,
    call: (attempt) => walkChain(model.chain, attempt, parts.breakers, parts.log),
    async complete(slot, measured) {
      const cost = costOf(measured.lines);
      const reported = minOf(cost, held);
      await publish(Outcome.COMPLETED, {
        provider: slot.provider.name,
        upstreamModel: slot.upstreamModel,
        quantity: measured.quantity,
        basis: measured.basis,
        promptTokens: measured.tokens?.prompt ?? 0n,
        completionTokens: measured.tokens?.completion ?? 0n,
        cachedPromptTokens: measured.tokens?.cachedPrompt ?? 0n,
        costNanoUsd: cost,
        reportedNanoUsd: reported,
      });
      return reported;
    },
    fail: () => publish(Outcome.FAILED, { basis: "none" }),
  };
}
