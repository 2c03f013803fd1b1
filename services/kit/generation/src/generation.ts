import { setTimeout as sleep } from "node:timers/promises";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Span } from "@opentelemetry/api";
import type { Model, RouteType, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { costOf, minOf, type NanoUsd } from "@tollgate/core/money";
import type { Rates } from "@tollgate/core/rates";
import { errorType, failSpan, recordFailure } from "@tollgate/core/tracing";
import type { ChargeLookup } from "@tollgate/metering/charge-lookup";
import { type Hold, prepaidHold } from "@tollgate/metering/holds/hold";
import type { Holds } from "@tollgate/metering/holds/holds";
import type { Measurement } from "@tollgate/metering/measurement";
import type { Publisher } from "@tollgate/metering/publisher";
import {
  completedFields,
  failedFields,
  modelFields,
  type OutcomeFields,
} from "@tollgate/metering/usage-event-fields";
import { Admission, type Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Breakers } from "@tollgate/upstream/breaker";
import { type ChainOptions, type Served, walkChain } from "@tollgate/upstream/chain";
import { startAttempt, withAttempt } from "@tollgate/upstream/traced-requests";
import { readToFirst } from "./first-chunk.ts";
import { countUsage, type EndedGeneration, logGeneration, type Reporting } from "./reporting.ts";
import { Trail } from "./trail.ts";
import { recordFirstChunk, recordUsage } from "./usage-span.ts";

/** A request that costs money, and what is held for it. */
export interface BillableCall {
  caller: Caller | undefined;
  model: Model;
  /** This amount is held before a provider is called: by default, the most that it can cost. */
  estimate: NanoUsd;
  /** See `HoldTerms.least`. */
  least?: NanoUsd | undefined;
  /**
   * The most that it can cost, where the estimate is less. A cost above what is held is then added
   * to the hold before it is reported.
   */
  most?: NanoUsd | undefined;
  /** The tokens that it is likely to use, for a limit of tokens per minute. Default: 0. */
  tokens?: bigint | undefined;
  /** The conversation that the ledger links the charge to. */
  conversationId?: string | undefined;
}

/** A billable call in progress, with its hold. */
export interface Generation {
  /** The amount held: the estimate, or less where the wallet has less available. */
  readonly held: NanoUsd;
  /** See `Hold.walletBalance`. */
  readonly walletBalance: NanoUsd | undefined;
  /** See `Hold.rates`. */
  readonly rates: Rates | undefined;
  /**
   * Adds to the hold during the call. Returns the amount added: the estimate, or less where the
   * wallet has less available. Throws `credit_balance_exhausted` where it has nothing available.
   */
  grow(estimate: NanoUsd): Promise<NanoUsd>;
  /** Attempts the slots of the model's chain; see `walkChain`. */
  attempt<Response>(call: (slot: Slot) => Promise<Response>): Promise<Served<Response>>;
  /**
   * Does the same for a response in chunks. Resolves once the first chunk has arrived, so that a
   * slot which sends none counts as failed, and the next one is attempted.
   */
  attemptStream<Opened extends { chunks: AsyncIterable<unknown> }>(
    open: (slot: Slot) => Promise<Opened>,
  ): Promise<Served<Opened>>;
  /**
   * Sets what is billed where the call ends before it is settled. `measure` is called with the
   * error that ended the call, if there is one, and returns undefined where nothing is billed. A
   * call with a charge id is not billed: it continues without its client, and ends early only with
   * its process, after which another run of the same request is billed.
   */
  billPartial(measure: (failure: unknown) => Served<Measurement> | undefined): void;
  /**
   * Records the usage of the complete response. Resolves with the expected charge, which is at most
   * the amount held. `settle` must follow.
   */
  measured(slot: Slot, usage: Measurement): Promise<NanoUsd>;
  /**
   * Publishes the usage event. Resolves once the event is durable, with the cost that the response
   * reports on routes that report one: at most the amount held.
   */
  settle(slot: Slot, usage: Measurement): Promise<NanoUsd>;
}

export interface GenerationDependencies extends Reporting {
  holds: Holds;
  publisher: Publisher;
  charges: ChargeLookup;
  breakers: Breakers;
  now(): Date;
}

/** A ledger that restarts is back by then. */
const coverTimeoutMs = 5_000;
const coverRetryMs = 200;

/** Routes whose responses report their cost. The client is charged the reported cost. */
const reportsCost: ReadonlySet<RouteType> = new Set<RouteType>(["chat", "images"]);

/** A generation with the method that only the engine calls. */
export interface OpenGeneration extends Generation {
  /** Settles the call if its work has not: bills the partial response, or nothing. */
  close(failure: unknown): Promise<void>;
}

/** Takes the hold of a call. `close` must follow. Throws what taking a hold throws. */
export async function openGeneration(
  dependencies: GenerationDependencies,
  call: BillableCall,
): Promise<OpenGeneration> {
  const { caller, estimate } = call;
  if (caller === undefined) throw new Error("a billable call must have a caller");
  const { requestId, chargeId } = caller;
  const paid = isRepeated(caller) ? await dependencies.charges.find(chargeId) : undefined;
  const hold =
    paid === undefined
      ? await dependencies.holds.take(requestId, caller, estimate, {
          least: call.least,
          isWhole: caller.admission === Admission.WHOLE,
          tokens: call.tokens,
        })
      : prepaidHold(estimate);
  return new HeldGeneration(dependencies, { ...call, caller, paid }, hold);
}

/** Returns whether an earlier run of the same request may have been charged. */
function isRepeated({ requestId, chargeId }: Caller): boolean {
  return chargeId !== "" && chargeId !== requestId;
}

interface HeldCall extends BillableCall {
  caller: Caller;
  /**
   * The charge of an earlier run of the request. All runs of a request are charged once together.
   */
  paid: NanoUsd | undefined;
}

interface Attempt {
  slot: Slot;
  span: Span;
  startedAt: number;
}

class HeldGeneration implements OpenGeneration {
  readonly #dependencies: GenerationDependencies;
  readonly #call: HeldCall;
  readonly #trail = new Trail();
  readonly #hold: Hold;
  #slotId: string | undefined;
  /** The attempt whose span has not ended yet. */
  #attempt: Attempt | undefined;
  #billPartial: (failure: unknown) => Served<Measurement> | undefined = () => undefined;
  #isSettled = false;
  /**
   * Settling waits for this: growing a settled hold would create another, which is never settled.
   */
  #growing: Promise<unknown> | undefined;
  #isCovered = false;

  constructor(dependencies: GenerationDependencies, call: HeldCall, hold: Hold) {
    this.#dependencies = dependencies;
    this.#call = call;
    this.#hold = hold;
    dependencies.metrics.requestsInFlight.inc();
  }

  get held() {
    return this.#hold.amount;
  }

  get walletBalance() {
    return this.#hold.walletBalance;
  }

  get rates() {
    return this.#hold.rates;
  }

  async grow(estimate: NanoUsd) {
    if (this.#isSettled) throw new Error("a generation that has ended cannot grow its hold");
    const added = this.#hold.grow(estimate);
    this.#growing = Promise.allSettled([this.#growing, added]);
    return added;
  }

  async attempt<Response>(call: (slot: Slot) => Promise<Response>) {
    const { model } = this.#call;
    const options = chainOptions(this.#dependencies, model);
    const served = await walkChain(model.chain, (slot) => this.#tryOnce(slot, call), options);
    this.#slotId = served.slot.id;
    return served;
  }

  async attemptStream<Opened extends { chunks: AsyncIterable<unknown> }>(
    open: (slot: Slot) => Promise<Opened>,
  ) {
    const served = await this.attempt(async (slot) => {
      const opened = await open(slot);
      return { ...opened, chunks: await readToFirst(opened.chunks) };
    });
    const { alias } = this.#call.model;
    this.#dependencies.metrics.firstToken.observe(
      { alias },
      this.#trail.recordFirstChunk() / 1_000,
    );
    if (this.#attempt !== undefined) recordFirstChunk(this.#attempt.span, this.#attempt.startedAt);
    return served;
  }

  billPartial(measure: (failure: unknown) => Served<Measurement> | undefined) {
    this.#billPartial = measure;
  }

  async measured(slot: Slot, usage: Measurement) {
    this.#endAttempt((span) => recordUsage(span, this.#call.model, slot, usage));
    const cost = costOf(usage.lines);
    await this.#cover(cost);
    return this.#call.paid ?? minOf(cost, this.held);
  }

  async settle(slot: Slot, measured: Measurement) {
    this.#endAttempt((span) => recordUsage(span, this.#call.model, slot, measured));
    const { caller, model, conversationId = "", paid } = this.#call;
    const usage = completedFields(slot, measured);
    await this.#cover(usage.costNanoUsd);
    const reported = minOf(usage.costNanoUsd, this.held);
    // The cost of an earlier run was counted when that run ended.
    const costNanoUsd = paid === undefined ? usage.costNanoUsd : 0n;
    countUsage(this.#dependencies, model, { ...usage, costNanoUsd });
    this.#log({ cost: costNanoUsd, lines: usage.lines });
    const event = await this.#publish("", {
      ...usage,
      ...(reportsCost.has(model.routeType) ? { reportedNanoUsd: reported } : {}),
      chargeId: caller.chargeId,
      conversationId,
    });
    if (!isRepeated(caller)) return reported;
    return paid ?? (await this.#dependencies.charges.findForEvent(event)) ?? reported;
  }

  async close(failure: unknown) {
    if (this.#isSettled) return;
    const partial = this.#call.caller.chargeId === "" ? this.#billPartial(failure) : undefined;
    if (partial !== undefined) {
      await this.settle(partial.slot, partial.response);
      return;
    }
    this.#endAttempt(
      (span) =>
        failure === undefined ? failSpan(span, "abandoned") : recordFailure(span, failure),
      failure ?? new Error("abandoned"),
    );
    this.#log({ cost: undefined });
    const errorCode = failure === undefined ? "abandoned" : errorType(failure);
    await this.#publish(errorCode, { ...failedFields, chargeId: "", conversationId: "" });
  }

  /**
   * Adds what a cost exceeds the hold by, at most up to the most that the call can cost: a provider
   * that ignores its output ceiling is not paid more. The response reports what is then held, and
   * no other request can take it before the capture. Where the ledger is away for longer than
   * `coverTimeoutMs`, the rest is uncollected.
   */
  async #cover(cost: NanoUsd): Promise<void> {
    const { most = 0n, paid } = this.#call;
    if (this.#isCovered || paid !== undefined || cost <= this.held) return;
    this.#isCovered = true;
    await this.#growing;
    const due = minOf(cost, most);
    const untilMs = performance.now() + coverTimeoutMs;
    while (due > this.held) {
      try {
        await this.grow(due - this.held);
        return;
      } catch (error) {
        if (isExhausted(error) || performance.now() > untilMs) return;
        await sleep(coverRetryMs);
      }
    }
  }

  async #tryOnce<Response>(slot: Slot, call: (slot: Slot) => Promise<Response>): Promise<Response> {
    const span = startAttempt(this.#call.model, slot);
    this.#trail.beginAttempt(slot, span);
    this.#attempt = { slot, span, startedAt: performance.now() };
    try {
      return await withAttempt(span, () => call(slot));
    } catch (error) {
      this.#endAttempt(() => recordFailure(span, error), error);
      throw error;
    }
  }

  #endAttempt(record: (span: Span) => void, error?: unknown): void {
    if (this.#attempt === undefined) return;
    this.#trail.endAttempt(error);
    const { span } = this.#attempt;
    this.#attempt = undefined;
    record(span);
    span.end();
  }

  async #publish(
    errorCode: string,
    ended: OutcomeFields & Pick<UsageEvent, "chargeId" | "conversationId">,
  ): Promise<UsageEvent> {
    this.#isSettled = true;
    const { publisher, now } = this.#dependencies;
    const { caller, model } = this.#call;
    const { requestId, accountId, keyId } = caller;
    if (this.#growing !== undefined) await this.#growing;
    const tokens = model.unitType === "tokens" ? ended.quantity : 0n;
    const event: UsageEvent = {
      $typeName: "tollgate.v1.UsageEvent",
      id: requestId,
      requestId,
      accountId,
      keyId,
      ...this.#hold.settle(ended.costNanoUsd, tokens),
      ...modelFields(model),
      occurredAt: timestampFromDate(now()),
      trail: this.#trail.end(this.held, errorCode),
      ...ended,
    };
    await publisher.publish(event);
    this.#hold.stopExtending();
    return event;
  }

  #log(billed: Pick<EndedGeneration, "cost" | "lines">): void {
    const { metrics, log } = this.#dependencies;
    metrics.requestsInFlight.dec();
    const ended = { slotId: this.#slotId, ...billed, ms: Math.round(this.#trail.elapsedMs) };
    logGeneration(log, { ...this.#call, ...ended });
  }
}

function isExhausted(error: unknown): boolean {
  return error instanceof GatewayError && error.code === "credit_balance_exhausted";
}

export function chainOptions(
  { breakers, log, metrics }: Pick<GenerationDependencies, "breakers" | "log" | "metrics">,
  { alias }: Model,
): ChainOptions {
  return {
    breakers,
    log,
    onAttempt: (slot, outcome) => metrics.slotCalls.inc({ alias, slot: slot.id, outcome }),
  };
}
