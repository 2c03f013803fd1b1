import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Model, RouteType, Slot } from "@tollgate/catalog/model";
import type { Log } from "@tollgate/core/log";
import { costOf, formatUsd, minOf, type NanoUsd } from "@tollgate/core/money";
import type { ChargeLookup } from "@tollgate/metering/charge-lookup";
import { type Hold, type Holds, prepaidHold } from "@tollgate/metering/holds/holds";
import type { Measurement } from "@tollgate/metering/measurement";
import type { Publisher } from "@tollgate/metering/publisher";
import {
  completedFields,
  failedFields,
  modelFields,
  type OutcomeFields,
} from "@tollgate/metering/usage-event-fields";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { Breakers } from "@tollgate/upstream/breaker";
import { type ChainParts, type Served, walkChain } from "@tollgate/upstream/chain";

/** One billable request under way: its money is set aside. */
export interface Generation {
  /** What the hold got: the estimate, or what the wallet had. */
  readonly held: NanoUsd;
  /**
   * Sets more money aside for a request that goes on, and answers how much: the estimate, or what
   * the wallet had. Raises `credit_balance_exhausted` when it had nothing.
   */
  grow(estimate: NanoUsd): Promise<NanoUsd>;
  /** Walks the model's chain; see `walkChain`. */
  call<Answer>(attempt: (slot: Slot) => Promise<Answer>): Promise<Served<Answer>>;
  /** The first piece of a streamed answer is there. */
  firstPiece(): void;
  /** The whole answer is there, and what it used is known. */
  answered(measured: Measurement): void;
  /**
   * Prices what was measured and publishes it. Answers, once its event is safe, the cost that a
   * client is told where its route tells one: no more than was held.
   */
  complete(slot: Slot, measured: Measurement): Promise<NanoUsd>;
  /** The charge for what was measured, as far as it is known before it is made. */
  chargeOf(measured: Measurement): NanoUsd;
  /** Records a generation that is not billed, and so gives the hold back. Never raises. */
  fail(cause?: unknown): Promise<void>;
}

/** What a generation stands on. */
export interface GenerationParts {
  holds: Holds;
  publisher: Publisher;
  charges: ChargeLookup;
  breakers: Breakers;
  log: Log;
  metrics: Metrics;
  now(): Date;
}

/** Routes whose answers name their cost: what the client is told is what it pays. */
const tellsCost: ReadonlySet<RouteType> = new Set<RouteType>(["chat", "images"]);

/**
 * Takes the hold of a generation. What it answers must be ended, by `complete` or by `fail`. Raises
 * what taking a hold raises.
 */
export async function openGeneration(
  parts: GenerationParts,
  caller: Caller | undefined,
  model: Model,
  estimate: NanoUsd,
  conversationId = "",
): Promise<Generation> {
  if (caller === undefined) throw new Error("a call names its caller");
  const { requestId, accountId, chargeId } = caller;
  const paid = isRepeated(caller) ? await parts.charges.find(chargeId) : undefined;
  const hold =
    paid === undefined
      ? await parts.holds.take(requestId, accountId, estimate)
      : prepaidHold(estimate);
  return new LiveGeneration(parts, { caller, model, conversationId, paid }, hold);
}

/** Whether an earlier run of the request came far enough that it may have been charged. */
function isRepeated({ requestId, chargeId }: Caller): boolean {
  return chargeId !== "" && chargeId !== requestId;
}

/** What a generation is for. */
interface Purpose {
  caller: Caller;
  model: Model;
  conversationId: string;
  /** What an earlier run of the request was charged: both are charged once. */
  paid: NanoUsd | undefined;
}

class LiveGeneration implements Generation {
  readonly #parts: GenerationParts;
  readonly #purpose: Purpose;
  readonly #startedAt = performance.now();
  readonly #hold: Hold;
  #slotId: string | undefined;
  #ended = false;
  /** A hold that grew after its event had settled it would be a new one, which nothing settles. */
  #growing: Promise<unknown> | undefined;

  constructor(parts: GenerationParts, purpose: Purpose, hold: Hold) {
    this.#parts = parts;
    this.#purpose = purpose;
    this.#hold = hold;
    parts.metrics.requestsInFlight.inc();
  }

  get held() {
    return this.#hold.amount;
  }

  async grow(more: NanoUsd) {
    if (this.#ended) throw new Error("a generation that has ended holds no more");
    const added = this.#hold.grow(more);
    this.#growing = Promise.allSettled([this.#growing, added]);
    return added;
  }

  async call<Answer>(attempt: (slot: Slot) => Promise<Answer>) {
    const { model } = this.#purpose;
    const served = await walkChain(model.chain, attempt, chainParts(this.#parts, model));
    this.#slotId = served.slot.id;
    return served;
  }

  firstPiece() {
    const { alias } = this.#purpose.model;
    this.#parts.metrics.firstToken.observe({ alias }, this.#elapsedMs() / 1_000);
  }

  answered() {}

  async complete(slot: Slot, measured: Measurement) {
    const { caller, model, conversationId, paid } = this.#purpose;
    const usage = completedFields(slot, measured);
    const reported = minOf(usage.costNanoUsd, this.held);
    // What an earlier run paid for was counted with that one.
    const costNanoUsd = paid === undefined ? usage.costNanoUsd : 0n;
    countUsage(this.#parts.metrics, model, { ...usage, costNanoUsd });
    const told = tellsCost.has(model.routeType) ? { reportedNanoUsd: reported } : {};
    this.#tell(costNanoUsd);
    const ended = { ...usage, ...told, chargeId: caller.chargeId, conversationId };
    const event = await this.#publish(ended);
    if (!isRepeated(caller)) return reported;
    return paid ?? (await this.#parts.charges.findForEvent(event)) ?? reported;
  }

  chargeOf({ lines }: Measurement) {
    return this.#purpose.paid ?? minOf(costOf(lines), this.held);
  }

  async fail() {
    this.#tell(undefined);
    await this.#publish({ ...failedFields, chargeId: "", conversationId: "" });
  }

  async #publish(
    ended: OutcomeFields & Pick<UsageEvent, "chargeId" | "conversationId">,
  ): Promise<UsageEvent> {
    this.#ended = true;
    const { publisher, now } = this.#parts;
    const { caller, model } = this.#purpose;
    const { requestId, accountId, keyId } = caller;
    if (this.#growing !== undefined) await this.#growing;
    const event: UsageEvent = {
      $typeName: "tollgate.v1.UsageEvent",
      id: requestId,
      requestId,
      accountId,
      keyId,
      ...this.#hold.settle(ended.costNanoUsd),
      ...modelFields(model),
      occurredAt: timestampFromDate(now()),
      companions: [],
      ...ended,
    };
    await publisher.publish(event);
    this.#hold.stopExtending();
    return event;
  }

  #tell(cost: NanoUsd | undefined): void {
    const { metrics, log } = this.#parts;
    metrics.requestsInFlight.dec();
    const ended = { slotId: this.#slotId, cost, ms: Math.round(this.#elapsedMs()) };
    tellGeneration(log, { ...this.#purpose, ...ended });
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }
}

export function chainParts(
  { breakers, log, metrics }: GenerationParts,
  { alias }: Model,
): ChainParts {
  return {
    breakers,
    log,
    onCall: (slot, outcome) => metrics.slotCalls.inc({ alias, slot: slot.id, outcome }),
  };
}

/** A generation that has ended, as the log tells it. */
export interface EndedGeneration {
  caller: Caller;
  model: Model;
  slotId: string | undefined;
  /** Undefined when it is not billed. */
  cost: NanoUsd | undefined;
  /** Undefined where another request began it. */
  ms?: number;
}

export function tellGeneration(log: Log, { caller, model, slotId, cost, ms }: EndedGeneration) {
  const fields = {
    request_id: caller.requestId,
    route_type: model.routeType,
    alias: model.alias,
    slot: slotId,
    billed: cost !== undefined,
    cost_usd: cost === undefined ? undefined : formatUsd(cost),
    ms,
  };
  log.info(fields, "generation");
}

/** Counts what was metered. */
export function countUsage(
  metrics: Metrics,
  { alias, routeType }: Model,
  usage: OutcomeFields,
): void {
  metrics.cost.inc({ route_type: routeType, alias }, Number(usage.costNanoUsd));
  if (usage.promptTokens > 0n) {
    metrics.tokens.inc({ alias, direction: "prompt" }, Number(usage.promptTokens));
  }
  if (usage.completionTokens > 0n) {
    metrics.tokens.inc({ alias, direction: "completion" }, Number(usage.completionTokens));
  }
}
