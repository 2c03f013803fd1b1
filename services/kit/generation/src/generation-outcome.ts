import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { RouteType } from "@tollgate/catalog/model";
import type { NanoUsd } from "@tollgate/core/money";
import type { ChargeLookup } from "@tollgate/metering/charge-lookup";
import type { Publisher } from "@tollgate/metering/publisher";
import {
  failedFields,
  modelFields,
  type OutcomeFields,
} from "@tollgate/metering/usage-event-fields";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Attempts } from "./attempts.ts";
import type { BillableCall } from "./generation.ts";
import type { GenerationHold } from "./generation-hold.ts";
import { countUsage, type EndedGeneration, logGeneration, type Reporting } from "./reporting.ts";

export interface OutcomeDependencies extends Reporting {
  publisher: Publisher;
  charges: ChargeLookup;
  now(): Date;
}

/** A billable call whose hold is taken. */
export interface HeldCall extends BillableCall {
  caller: Caller;
  /**
   * The charge of an earlier run of the request. All runs of a request are charged once together.
   */
  paid: NanoUsd | undefined;
}

type EndedFields = OutcomeFields & Pick<UsageEvent, "chargeId" | "conversationId">;

/** Routes whose responses report their cost. The client is charged the reported cost. */
const reportsCost: ReadonlySet<RouteType> = new Set<RouteType>(["chat", "images"]);

/** The outcome of one generation: it is counted, logged and published as a usage event, once. */
export class GenerationOutcome {
  readonly #dependencies: OutcomeDependencies;
  readonly #call: HeldCall;
  readonly #hold: GenerationHold;
  readonly #attempts: Attempts;
  #hasBegun = false;

  constructor(
    dependencies: OutcomeDependencies,
    call: HeldCall,
    hold: GenerationHold,
    attempts: Attempts,
  ) {
    this.#dependencies = dependencies;
    this.#call = call;
    this.#hold = hold;
    this.#attempts = attempts;
    dependencies.metrics.requestsInFlight.inc();
  }

  /** Whether it is published, or has failed to be: it is not published again. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Bills a response. Resolves with the cost that it reports; see `MeasuredResponse.settle`. */
  async bill(usage: OutcomeFields, reported: NanoUsd): Promise<NanoUsd> {
    const { caller, model, conversationId = "", paid } = this.#call;
    this.#begin();
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

  /** Records that the generation is not billed. */
  async fail(errorCode: string): Promise<void> {
    this.#begin();
    this.#log({ cost: undefined });
    await this.#publish(errorCode, { ...failedFields, chargeId: "", conversationId: "" });
  }

  #begin(): void {
    if (this.#hasBegun) throw new Error("a generation is settled once");
    this.#hasBegun = true;
    this.#dependencies.metrics.requestsInFlight.dec();
  }

  async #publish(errorCode: string, ended: EndedFields): Promise<UsageEvent> {
    const { publisher, now } = this.#dependencies;
    const { caller, model } = this.#call;
    const { requestId, accountId, keyId } = caller;
    const tokens = model.unitType === "tokens" ? ended.quantity : 0n;
    const settled = await this.#hold.settle(ended.costNanoUsd, tokens);
    const event: UsageEvent = {
      $typeName: "tollgate.v1.UsageEvent",
      id: requestId,
      requestId,
      accountId,
      keyId,
      ...settled,
      ...modelFields(model),
      occurredAt: timestampFromDate(now()),
      trail: this.#attempts.trail.end(this.#hold.amount, errorCode),
      ...ended,
    };
    await publisher.publish(event);
    this.#hold.stopExtending();
    return event;
  }

  #log(billed: Pick<EndedGeneration, "cost" | "lines">): void {
    const { slotId, trail } = this.#attempts;
    const ended = { slotId, ...billed, ms: Math.round(trail.elapsedMs) };
    logGeneration(this.#dependencies.log, { ...this.#call, ...ended });
  }
}

/** Returns whether an earlier run of the same request may have been charged. */
export function isRepeated({ requestId, chargeId }: Caller): boolean {
  return chargeId !== "" && chargeId !== requestId;
}
