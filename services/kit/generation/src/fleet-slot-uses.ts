import type { Slot } from "@tollgate/catalog/model";
import { newId } from "@tollgate/core/ids";
import { type RenewedLease, renewLeases } from "@tollgate/core/lease-renewal";
import type { Log } from "@tollgate/core/log";
import type { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import type { Client } from "@tollgate/rpc/implementation";
import type {
  CountedCall,
  SharedSlotUse,
  SharedSlotUses,
} from "@tollgate/upstream/shared-slot-uses";

/** A client waits no longer for the count of a call. */
const takeTimeoutMs = 2_000;
const timeoutMs = 5_000;
/** How long the ledger is not asked after it could not be reached. */
const pauseMs = 1_000;
const checkEveryMs = 1_000;

/** The calls of slots with limits, which the ledger counts for all replicas. */
export class FleetSlotUses implements SharedSlotUses {
  readonly #slots: Client<typeof SlotService>;
  readonly #log: Log;
  readonly #leases;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(slots: Client<typeof SlotService>, log: Log) {
    this.#slots = slots;
    this.#log = log;
    this.#leases = renewLeases(
      (useIds: readonly string[]) => slots.extendSlotUses({ useIds: [...useIds] }, { timeoutMs }),
      {
        checkEveryMs,
        onFailure: (calls, { message: reason }) =>
          log.warn({ calls, reason }, "extending calls of slots failed and will be retried"),
      },
    );
  }

  async take(
    { id: slotId, limits = {} }: Slot,
    { accountId, tokens }: CountedCall,
  ): Promise<SharedSlotUse | number | undefined> {
    if (performance.now() < this.#pausedUntil) return undefined;
    const useId = newId("use");
    try {
      const { waitMs, expiresInMs } = await this.#slots.takeSlotUse(
        { useId, slotId, accountId, tokens: BigInt(tokens), ...countsOf(limits) },
        { timeoutMs: takeTimeoutMs },
      );
      if (waitMs > 0) return waitMs;
      return this.#begin(useId, expiresInMs);
    } catch (error) {
      this.#pausedUntil = performance.now() + pauseMs;
      const reason = (error as Error).message;
      this.#log.warn({ reason }, "calls of slots are counted by this process alone");
      // The ledger may have counted it.
      this.#end(useId, undefined);
      return undefined;
    }
  }

  /** Extends no calls any more. */
  stop(): void {
    this.#leases.stop();
  }

  #begin(useId: string, expiresInMs: number): SharedSlotUse {
    const lease: RenewedLease<string> = this.#leases.begin(useId, expiresInMs);
    return {
      end: (tokens) => {
        this.#leases.end(lease);
        this.#end(useId, tokens);
      },
    };
  }

  /** A call whose end is lost expires. */
  #end(useId: string, tokens: number | undefined): void {
    const used = tokens === undefined ? {} : { tokens: BigInt(tokens) };
    this.#slots.endSlotUse({ useId, ...used }, { timeoutMs }).catch((error: unknown) => {
      const reason = (error as Error).message;
      this.#log.debug({ reason }, "the end of a slot's call was not counted: it expires");
    });
  }
}

function countsOf({ requestsPerMinute, tokensPerMinute, parallel }: NonNullable<Slot["limits"]>) {
  return {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute: BigInt(requestsPerMinute) }),
    ...(tokensPerMinute === undefined ? {} : { tokensPerMinute: BigInt(tokensPerMinute) }),
    ...(parallel === undefined ? {} : { parallel: BigInt(parallel) }),
  };
}
