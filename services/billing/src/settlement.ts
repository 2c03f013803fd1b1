import type { SettledRequest } from "@tollgate/proto/tollgate/v1/billing";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";

/** How long a request's cost can be looked up after it was recorded. */
const windowMs = 30 * 60 * 1_000;
/** The form of the gateway's request ids. Others are not known to the ledger. */
const requestIdPattern = /^req_[0-9a-f]{32}$/;

/**
 * Resolves with what requests of the account were charged: each id once, in the order given. Ids
 * that are unknown, expired or another account's are left out. A cost that was returned never
 * changes: it is read from an entry, which is append-only.
 */
export async function lookUpSettlement(
  ledger: Client<typeof LedgerService>,
  accountId: string,
  requestIds: readonly string[],
): Promise<Pick<SettledRequest, "requestId" | "costNanoUsd">[]> {
  const ids = [...new Set(requestIds.filter((id) => requestIdPattern.test(id)))];
  if (ids.length === 0) return [];
  const query = { accountId, requestIds: ids, withinMs: windowMs };
  const { charges } = await ledger.findCharges(query);
  const costs = new Map(charges.map((charge) => [charge.requestId, charge.chargedNanoUsd]));
  return ids.flatMap((id) => {
    const costNanoUsd = costs.get(id);
    return costNanoUsd === undefined ? [] : [{ requestId: id, costNanoUsd }];
  });
}
