import type { SettledRequest } from "@tollgate/proto/tollgate/v1/billing";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";

/** How long a request's cost can be looked up after it was recorded. */
const windowMs = 30 * 60 * 1_000;
/** Others were never given out, so nothing is known of them. */
const requestId = /^req_[0-9a-f]{32}$/;

/**
 * What requests of the account were charged: each id once, in the order asked. Ids that are not
 * known yet, no longer, or to another account are left out. A cost that was answered never changes:
 * it is read from an entry, which is append-only.
 */
export async function lookUpSettlement(
  ledger: Client<typeof LedgerService>,
  accountId: string,
  requestIds: readonly string[],
): Promise<Pick<SettledRequest, "requestId" | "costNanoUsd">[]> {
  const asked = [...new Set(requestIds.filter((id) => requestId.test(id)))];
  if (asked.length === 0) return [];
  const query = { accountId, requestIds: asked, withinMs: windowMs };
  const { charges } = await ledger.findCharges(query);
  const costs = new Map(charges.map((charge) => [charge.requestId, charge.chargedNanoUsd]));
  return asked.flatMap((id) => {
    const costNanoUsd = costs.get(id);
    return costNanoUsd === undefined ? [] : [{ requestId: id, costNanoUsd }];
  });
}
