import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { NanoUsd } from "../money.ts";
import type { Client } from "../rpc/implementation.ts";

/** Longer than the record of an idempotency key is kept, and with it a request may run again. */
const withinMs = 25 * 60 * 60 * 1_000;
const ledgerTimeoutMs = 5_000;

/** What the ledger charged, for the runs that repeat another one of the same request. */
export interface Charges {
  /**
   * For a request id; undefined where it was charged nothing, or the ledger cannot be asked. A run
   * that failed stands in the ledger too, and paid for no other.
   */
  of(accountId: string, requestId: string): Promise<NanoUsd | undefined>;
  /** For an event that was published; undefined where the ledger cannot be asked. */
  ofEvent(event: UsageEvent): Promise<NanoUsd | undefined>;
}

export function createCharges(ledger: Client<typeof LedgerService>): Charges {
  const options = { timeoutMs: ledgerTimeoutMs };

  async function find(accountId: string, requestId: string): Promise<NanoUsd | undefined> {
    const request = { accountId, requestIds: [requestId], withinMs };
    const { charges } = await ledger.findCharges(request, options);
    return charges[0]?.chargedNanoUsd;
  }

  return {
    async of(accountId, requestId) {
      const charged = await find(accountId, requestId).catch(() => undefined);
      return charged === 0n ? undefined : charged;
    },
    async ofEvent(event) {
      try {
        // It may still be on its way. Recorded again, it changes nothing.
        await ledger.recordUsage({ events: [event] }, options);
        return await find(event.accountId, event.requestId);
      } catch {
        return undefined;
      }
    },
  };
}
