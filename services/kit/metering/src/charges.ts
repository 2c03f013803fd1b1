import type { NanoUsd } from "@tollgate/core/money";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Client } from "@tollgate/rpc/implementation";

const ledgerTimeoutMs = 5_000;

/** What the ledger charged, for the runs that repeat another one of the same request. */
export interface Charges {
  /**
   * By the charge id that all runs of a request share, whichever of them was charged; undefined
   * where none was, such as when all have failed, or the ledger cannot be asked.
   */
  of(chargeId: string): Promise<NanoUsd | undefined>;
  /** For an event that was published; undefined where the ledger cannot be asked. */
  ofEvent(event: UsageEvent): Promise<NanoUsd | undefined>;
}

export function createCharges(ledger: Client<typeof LedgerService>): Charges {
  const options = { timeoutMs: ledgerTimeoutMs };

  async function find(chargeId: string): Promise<NanoUsd | undefined> {
    const { chargedNanoUsd } = await ledger.findCharge({ chargeId }, options);
    return chargedNanoUsd;
  }

  return {
    of: (chargeId) => find(chargeId).catch(() => undefined),
    async ofEvent(event) {
      try {
        // It may still be on its way. Recorded again, it changes nothing.
        await ledger.recordUsage({ events: [event] }, options);
        return await find(event.chargeId);
      } catch {
        return undefined;
      }
    },
  };
}
