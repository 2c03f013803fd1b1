import type { Cancellable, LeaveWatcher } from "@tollgate/core/cancellation";
import type { PeerError } from "@tollgate/core/errors";
import type { NanoUsd } from "@tollgate/core/money";
import type { Hold } from "@tollgate/metering/holds/hold";
import type { Holds } from "@tollgate/metering/holds/holds";
import { Admission, type Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { RunningGeneration, RunningGenerations } from "./running-generations.ts";

/**
 * The holds of jobs. The request that creates a job takes its hold; from then on, the job has it,
 * until a usage event captures it or its time is over.
 */
export class JobHolds {
  readonly #holds: Holds;
  readonly #running: RunningGenerations;

  constructor({ holds, running }: { holds: Holds; running: RunningGenerations }) {
    this.#holds = holds;
    this.#running = running;
  }

  /**
   * Takes the hold of a request that creates a job, which `handOver` or `abandon` must end; a drain
   * waits for that. Throws what taking a hold throws, also where a budget has less than the estimate
   * left.
   */
  async take({ caller, estimate, cancellation }: JobCreation): Promise<JobHold> {
    const isWhole = caller.admission === Admission.WHOLE;
    const terms = { isWhole, isJob: true };
    const hold = await this.#holds.take(caller.requestId, caller, estimate, terms);
    const taken = new JobHold(this.#holds, this.#running, hold, cancellation);
    this.#running.add(taken);
    return taken;
  }

  /** See `Holds.keep`. */
  keep(...[kept]: Parameters<Holds["keep"]>) {
    return this.#holds.keep(kept);
  }

  /** See `Holds.release`. */
  release(holdId: string) {
    return this.#holds.release(holdId);
  }
}

interface JobCreation {
  caller: Caller;
  estimate: NanoUsd;
  cancellation: Cancellable;
}

/** The hold of a request that creates a job. */
export class JobHold implements RunningGeneration, LeaveWatcher {
  index = -1;
  readonly amount: NanoUsd;
  /** Undefined where the job costs nothing. */
  readonly id: string | undefined;
  readonly #holds: Holds;
  readonly #running: RunningGenerations;
  readonly #hold: Hold;
  readonly #cancellation: Cancellable;

  constructor(holds: Holds, running: RunningGenerations, hold: Hold, cancellation: Cancellable) {
    this.#holds = holds;
    this.#running = running;
    this.#hold = hold;
    this.#cancellation = cancellation;
    this.amount = hold.amount;
    this.id = hold.settle(hold.amount, 0n).holdId || undefined;
  }

  /** Runs an attempt to create the job: to its end although the client leaves. */
  async attempt<Created>(create: () => Promise<Created>): Promise<Created> {
    this.#cancellation.signal.throwIfAborted();
    this.#cancellation.beginPart(this);
    try {
      return await create();
    } finally {
      this.#cancellation.endPart();
    }
  }

  /** Stops extending it: it is kept for the job, or expires. */
  handOver(): void {
    this.#hold.stopExtending();
    this.#running.remove(this);
  }

  /** Releases it: there is no job. */
  abandon(): void {
    this.handOver();
    if (this.id !== undefined) this.#holds.abandon(this.id);
  }

  callerLeft(): void {
    this.#hold.leave();
  }

  abort(reason: PeerError): void {
    this.#cancellation.abort(reason);
  }
}
