import type { NanoUsd } from "@tollgate/core/money";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Client } from "@tollgate/rpc/implementation";

const ledgerTimeoutMs = 5_000;

/** Finds what the ledger charged, for a run that repeats an earlier run of the same request. */
export interface ChargeLookup {
  /**
   * Resolves with the charge of a request, by the charge id that all of its runs share. Undefined
   * when no run was charged, for example because all failed, or when the ledger cannot be reached.
   */
  find(chargeId: string): Promise<NanoUsd | undefined>;
  /** Does the same for a published event, which the ledger may not have yet. */
  findForEvent(event: UsageEvent): Promise<NanoUsd | undefined>;
}

export function createChargeLookup(ledger: Client<typeof LedgerService>): ChargeLookup {
  const options = { timeoutMs: ledgerTimeoutMs };

  async function findCharge(chargeId: string): Promise<NanoUsd | undefined> {
    const { chargedNanoUsd } = await ledger.findCharge({ chargeId }, options);
    return chargedNanoUsd;
  }

  return {
    find: (chargeId) => findCharge(chargeId).catch(() => undefined),
    async findForEvent(event) {
      try {
        // The broker may not have delivered it yet. Recording an event again changes nothing.
        await ledger.recordUsage({ events: [event] }, options);
        return await findCharge(event.chargeId);
      } catch {
        return undefined;
      }
    },
  };
}
