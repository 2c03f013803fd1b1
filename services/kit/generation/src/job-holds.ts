import type { NanoUsd } from "@tollgate/core/money";
import type { Hold } from "@tollgate/metering/holds/hold";
import type { Holds } from "@tollgate/metering/holds/holds";
import { Admission } from "@tollgate/proto/tollgate/v1/caller";
import type { BillableCall } from "./generation.ts";

/**
 * The holds of jobs. The request that creates a job takes its hold; from then on, the job has it,
 * until a usage event captures it or its time is over.
 */
export class JobHolds {
  readonly #holds: Holds;

  constructor(holds: Holds) {
    this.#holds = holds;
  }

  /**
   * Takes the hold of a request that creates a job, which `leave` or `abandon` must end. Throws what
   * taking a hold throws, also where a budget has less than the estimate left.
   */
  async take({ caller, estimate }: Pick<BillableCall, "caller" | "estimate">): Promise<JobHold> {
    if (caller === undefined) throw new Error("a billable call must have a caller");
    const isWhole = caller.admission === Admission.WHOLE;
    const terms = { isWhole, isJob: true };
    const hold = await this.#holds.take(caller.requestId, caller, estimate, terms);
    return new JobHold(this.#holds, hold);
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

/** The hold of a request that creates a job. */
export class JobHold {
  readonly amount: NanoUsd;
  /** Undefined where the job costs nothing. */
  readonly id: string | undefined;
  readonly #holds: Holds;
  readonly #hold: Hold;

  constructor(holds: Holds, hold: Hold) {
    this.#holds = holds;
    this.#hold = hold;
    this.amount = hold.amount;
    this.id = hold.settle(hold.amount, 0n).holdId || undefined;
  }

  /** Stops extending it: it is kept for the job, or expires. */
  leave(): void {
    this.#hold.stopExtending();
  }

  /** Releases it: there is no job. */
  abandon(): void {
    this.leave();
    if (this.id !== undefined) this.#holds.abandon(this.id);
  }
}
