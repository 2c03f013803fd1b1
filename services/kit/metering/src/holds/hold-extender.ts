import { type LeaseRenewal, type RenewedLease, renewLeases } from "@tollgate/core/lease-renewal";
import type { Log } from "@tollgate/core/log";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";

const checkEveryMs = 1_000;

/** The extension of a hold, whose id it has, for as long as the hold is in use. */
export type Extension = RenewedLease<string>;

/** Extends the holds that are in use before they expire. */
export type HoldExtender = LeaseRenewal<string>;

export function createHoldExtender(
  ledger: Pick<Client<typeof LedgerService>, "extendHolds">,
  log: Log,
): HoldExtender {
  return renewLeases((holdIds) => ledger.extendHolds({ holdIds: [...holdIds] }), {
    checkEveryMs,
    onFailure(holds, { message: reason }) {
      log.warn({ holds, reason }, "holds not extended");
    },
  });
}
