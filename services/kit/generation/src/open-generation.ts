import type { Slot } from "@tollgate/catalog/model";
import type { LeaveWatcher } from "@tollgate/core/cancellation";
import type { PeerError } from "@tollgate/core/errors";
import { minOf, type NanoUsd } from "@tollgate/core/money";
import { prepaidHold } from "@tollgate/metering/holds/hold";
import type { Holds } from "@tollgate/metering/holds/holds";
import type { Measurement } from "@tollgate/metering/measurement";
import { completedFields, type OutcomeFields } from "@tollgate/metering/usage-event-fields";
import { Admission } from "@tollgate/proto/tollgate/v1/caller";
import type { ProviderRequestIds } from "@tollgate/upstream/provider-request-ids";
import { type AttemptDependencies, Attempts } from "./attempts.ts";
import type {
  BillableCall,
  Generation,
  MeasuredResponse,
  MeasurePartial,
  ResponseIds,
} from "./generation.ts";
import { GenerationHold } from "./generation-hold.ts";
import {
  GenerationOutcome,
  type HeldCall,
  isRepeated,
  type OutcomeParts,
  reportsCost,
} from "./generation-outcome.ts";
import type { RunningGeneration, RunningGenerations } from "./running-generations.ts";
import { type SentToClient, sentAfter, sentInFull, sentToNobody } from "./sent-to-client.ts";

export interface GenerationDependencies extends AttemptDependencies, OutcomeParts {
  holds: Holds;
  running: RunningGenerations;
  requestIds: ProviderRequestIds;
}

/** A generation with the method that only its scope calls. */
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
          aloneBelow: call.aloneBelow,
          isWhole: call.isWhole === true || caller.admission === Admission.WHOLE,
          tokens: call.tokens,
          model: call.model,
        })
      : prepaidHold(estimate);
  const held = { ...call, caller, paid };
  return new HeldGeneration(dependencies, held, new GenerationHold(hold));
}

class HeldGeneration implements OpenGeneration, LeaveWatcher, RunningGeneration {
  index = -1;
  readonly #running: RunningGenerations;
  readonly #requestIds: ProviderRequestIds;
  readonly #call: HeldCall;
  readonly #hold: GenerationHold;
  readonly #attempts: Attempts;
  readonly #outcome: GenerationOutcome;
  #billPartial: MeasurePartial = () => undefined;

  constructor(dependencies: GenerationDependencies, call: HeldCall, hold: GenerationHold) {
    this.#running = dependencies.running;
    this.#call = call;
    this.#hold = hold;
    this.#attempts = new Attempts(dependencies, call, this);
    this.#outcome = new GenerationOutcome(dependencies, call, hold, this.#attempts);
    this.#running.add(this);
    this.#requestIds = dependencies.requestIds;
    this.#requestIds.watch(call.caller.requestId, this.#attempts.record.trail);
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

  grow(estimate: NanoUsd) {
    return this.#hold.grow(estimate);
  }

  attempt<Response>(call: (slot: Slot) => Promise<Response>) {
    return this.#attempts.attempt(call);
  }

  attemptStream<Opened extends { chunks: AsyncIterable<unknown> }>(
    open: (slot: Slot) => Promise<Opened>,
  ) {
    return this.#attempts.attemptStream(open);
  }

  identify(ids: ResponseIds) {
    this.#attempts.record.trail.identify(ids);
  }

  billPartial(measure: MeasurePartial) {
    this.#billPartial = measure;
  }

  measured(slot: Slot, usage: Measurement) {
    const isLeft = this.#call.cancellation?.hasLeft === true;
    return this.#measure(slot, usage, isLeft ? sentToNobody : sentInFull);
  }

  async #measure(slot: Slot, usage: Measurement, sent: SentToClient) {
    this.#attempts.record.complete(slot, usage);
    const fields = completedFields(slot, usage);
    const { paid, model } = this.#call;
    // What an earlier run has paid needs no hold. A cost that no response reports is charged from
    // what is available at the capture.
    const isCovered = paid === undefined && reportsCost.has(model.routeType);
    const cost = fields.costNanoUsd;
    const isShort = isCovered && cost > this.held;
    const reported = isShort ? await this.#hold.cover(cost) : minOf(cost, this.held);
    return new HeldResponse(this.#outcome, { usage: fields, reported, paid, sent });
  }

  async settle(slot: Slot, usage: Measurement) {
    return (await this.measured(slot, usage)).settle();
  }

  callerLeft() {
    this.#hold.leave();
  }

  abort(reason: PeerError) {
    this.#call.cancellation?.abort(reason);
  }

  async close(failure: unknown) {
    try {
      await this.#settleRest(failure);
    } finally {
      // Nothing else has ended it if the billed usage could not be measured.
      this.#attempts.record.endUse();
      this.#running.remove(this);
      this.#requestIds.unwatch(this.#call.caller.requestId, this.#attempts.record.trail);
    }
  }

  async #settleRest(failure: unknown) {
    if (this.#outcome.hasBegun) return;
    const partial = await this.#billPartial(failure);
    const sent = sentAfter(failure);
    if (partial === undefined) {
      await this.#outcome.fail(this.#attempts.record.abandon(failure), sent);
      return;
    }
    const { status, code = "", message } = sent;
    const ended = { status, code, message, isPartial: true };
    this.#attempts.record.breakOff(failure);
    const measured = await this.#measure(partial.slot, partial.response, ended);
    await measured.settle();
  }
}

interface Measured {
  usage: OutcomeFields;
  reported: NanoUsd;
  /** What an earlier run of the request was charged. */
  paid: NanoUsd | undefined;
  sent: SentToClient;
}

class HeldResponse implements MeasuredResponse {
  readonly charge: NanoUsd;
  readonly #outcome: GenerationOutcome;
  readonly #measured: Measured;

  constructor(outcome: GenerationOutcome, measured: Measured) {
    this.charge = measured.paid ?? measured.reported;
    this.#outcome = outcome;
    this.#measured = measured;
  }

  settle() {
    const { usage, reported, sent } = this.#measured;
    return this.#outcome.bill(usage, reported, sent);
  }
}
