import type { Slot } from "@tollgate/catalog/model";
import type { LeaveWatcher } from "@tollgate/core/cancellation";
import type { PeerError } from "@tollgate/core/errors";
import { minOf, type NanoUsd } from "@tollgate/core/money";
import { prepaidHold } from "@tollgate/metering/holds/hold";
import type { Holds } from "@tollgate/metering/holds/holds";
import type { Measurement } from "@tollgate/metering/measurement";
import { completedFields, type OutcomeFields } from "@tollgate/metering/usage-event-fields";
import { Admission } from "@tollgate/proto/tollgate/v1/caller";
import { type AttemptDependencies, Attempts } from "./attempts.ts";
import type { BillableCall, Generation, MeasuredResponse, MeasurePartial } from "./generation.ts";
import { GenerationHold } from "./generation-hold.ts";
import {
  GenerationOutcome,
  type HeldCall,
  isRepeated,
  type OutcomeParts,
  reportsCost,
} from "./generation-outcome.ts";
import type { RunningGeneration, RunningGenerations } from "./running-generations.ts";

export interface GenerationDependencies extends AttemptDependencies, OutcomeParts {
  holds: Holds;
  running: RunningGenerations;
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

  billPartial(measure: MeasurePartial) {
    this.#billPartial = measure;
  }

  async measured(slot: Slot, usage: Measurement) {
    this.#attempts.record.complete(slot, usage);
    const fields = completedFields(slot, usage);
    const { paid, model } = this.#call;
    // What an earlier run has paid needs no hold. A cost that no response reports is charged from
    // what is available at the capture.
    const isCovered = paid === undefined && reportsCost.has(model.routeType);
    const cost = fields.costNanoUsd;
    const isShort = isCovered && cost > this.held;
    const reported = isShort ? await this.#hold.cover(cost) : minOf(cost, this.held);
    return new HeldResponse(this.#outcome, fields, reported, paid);
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
      // Where what is billed cannot be measured, nothing else has ended it.
      this.#attempts.record.endUse();
      this.#running.remove(this);
    }
  }

  async #settleRest(failure: unknown) {
    if (this.#outcome.hasBegun) return;
    const partial = await this.#billPartial(failure);
    if (partial === undefined) await this.#outcome.fail(this.#attempts.record.abandon(failure));
    else await this.settle(partial.slot, partial.response);
  }
}

class HeldResponse implements MeasuredResponse {
  readonly charge: NanoUsd;
  readonly #outcome: GenerationOutcome;
  readonly #usage: OutcomeFields;
  readonly #reported: NanoUsd;

  constructor(
    outcome: GenerationOutcome,
    usage: OutcomeFields,
    reported: NanoUsd,
    paid: NanoUsd | undefined,
  ) {
    this.charge = paid ?? reported;
    this.#outcome = outcome;
    this.#usage = usage;
    this.#reported = reported;
  }

  settle() {
    return this.#outcome.bill(this.#usage, this.#reported);
  }
}
