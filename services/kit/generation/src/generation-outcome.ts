import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { RouteType } from "@tollgate/catalog/route-types";
import type { NanoUsd } from "@tollgate/core/money";
import type { ChargeLookup } from "@tollgate/metering/charge-lookup";
import type { SettledHold } from "@tollgate/metering/holds/hold";
import {
  failedFields,
  modelFields,
  type OutcomeFields,
} from "@tollgate/metering/usage-event-fields";
import type { Publisher } from "@tollgate/metering/usage-publisher";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { RequestTrail, UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Attempts } from "./attempts.ts";
import type { BillableCall } from "./generation.ts";
import type { GenerationHold } from "./generation-hold.ts";
import { countUsage, type EndedGeneration, logGeneration, type Reporting } from "./reporting.ts";
import type { SentToClient } from "./sent-to-client.ts";

export interface OutcomeParts extends Reporting {
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
export const reportsCost: ReadonlySet<RouteType> = new Set<RouteType>(["chat", "images"]);

/** The outcome of one generation: it is counted, logged and published as a usage event, once. */
export class GenerationOutcome {
  readonly #parts: OutcomeParts;
  readonly #call: HeldCall;
  readonly #hold: GenerationHold;
  readonly #attempts: Attempts;
  #hasBegun = false;

  constructor(parts: OutcomeParts, call: HeldCall, hold: GenerationHold, attempts: Attempts) {
    this.#parts = parts;
    this.#call = call;
    this.#hold = hold;
    this.#attempts = attempts;
    parts.metrics.requestsInFlight.inc();
  }

  /** Whether it is published, or has failed to be: it is not published again. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Bills a response, of which the client was `sent` so much. Resolves with the cost that it reports; see `MeasuredResponse.settle`. */
  async bill(usage: OutcomeFields, reported: NanoUsd, sent: SentToClient): Promise<NanoUsd> {
    const { caller, model, conversationId = "", paid } = this.#call;
    // The cost of an earlier run was counted when that run ended.
    const costNanoUsd = paid === undefined ? usage.costNanoUsd : 0n;
    this.#begin({ cost: costNanoUsd, lines: usage.lines });
    countUsage(this.#parts, model, { ...usage, costNanoUsd });
    const event = await this.#publish("", sent, {
      ...usage,
      ...(reportsCost.has(model.routeType) ? { reportedNanoUsd: reported } : {}),
      chargeId: caller.chargeId,
      conversationId,
    });
    if (!isRepeated(caller)) return reported;
    return paid ?? (await this.#parts.charges.findForEvent(event)) ?? reported;
  }

  /** Records that the generation is not billed. */
  async fail(errorCode: string, sent: SentToClient): Promise<void> {
    this.#begin({ cost: undefined });
    await this.#publish(errorCode, sent, { ...failedFields, chargeId: "", conversationId: "" });
  }

  #begin(billed: Pick<EndedGeneration, "cost" | "lines">): void {
    if (this.#hasBegun) throw new Error("a generation is settled once");
    this.#hasBegun = true;
    const { metrics, log } = this.#parts;
    metrics.requestsInFlight.dec();
    const { slotId, record } = this.#attempts;
    const ended = { slotId, ...billed, ms: Math.round(record.trail.elapsedMs) };
    logGeneration(log, { ...this.#call, ...ended });
  }

  async #publish(errorCode: string, sent: SentToClient, ended: EndedFields): Promise<UsageEvent> {
    const { publisher, now } = this.#parts;
    const { model, caller } = this.#call;
    const tokens = model.unitType === "tokens" ? ended.quantity : 0n;
    const growing = this.#hold.stopGrowing();
    if (growing !== undefined) await growing;
    const settled = this.#hold.settle(ended.costNanoUsd, tokens);
    const { trail: attempted } = this.#attempts.record;
    const trail = attempted.end(caller, this.#hold.amount, errorCode, sent);
    const event = usageEventOf(this.#call, { settled, trail, ended }, now());
    await publisher.publish(event);
    this.#hold.stopExtending();
    return event;
  }
}

function usageEventOf(
  { caller, model }: HeldCall,
  { settled, trail, ended }: { settled: SettledHold; trail: RequestTrail; ended: EndedFields },
  occurredAt: Date,
): UsageEvent {
  const { requestId, accountId, keyId, endUser } = caller;
  return {
    $typeName: "tollgate.v1.UsageEvent",
    id: requestId,
    requestId,
    accountId,
    keyId,
    endUser,
    ...settled,
    ...modelFields(model),
    occurredAt: timestampFromDate(occurredAt),
    trail,
    ...ended,
  };
}

/** Returns whether an earlier run of the same request may have been charged. */
export function isRepeated({ requestId, chargeId }: Caller): boolean {
  return chargeId !== "" && chargeId !== requestId;
}
