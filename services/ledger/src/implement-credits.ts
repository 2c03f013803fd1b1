import type { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import type { Implementation } from "@tollgate/rpc/implementation";
import { listCredits } from "./credits.ts";
import { dateOfTimestamp, flushCaptures, type LedgerParts } from "./ledger-parts.ts";
import { refundCharge } from "./refunds.ts";
import { reverseTopUp, undoReversal } from "./reversals.ts";
import { sumStatement } from "./statement-sums.ts";
import { sumWallets } from "./wallet-sums.ts";

/** Returns the calls about reversals of payments, refunds of requests, and statements. */
export function implementCredits(parts: LedgerParts): Implementation<typeof CreditService> {
  const { pool, locks, now } = parts;

  return {
    reverseTopUp: ({ accountId, amountNanoUsd, reason, reference }) =>
      locks.run(accountId, () =>
        reverseTopUp(pool, { accountId, amountNanoUsd, reason, reference, at: now() }),
      ),
    undoReversal: ({ accountId, amountNanoUsd, reason, reference }) =>
      locks.run(accountId, () =>
        undoReversal(pool, { accountId, amountNanoUsd, reason, reference, at: now() }),
      ),
    refundCharge: ({ accountId, requestId, amountNanoUsd, reason, reference }) =>
      locks.run(accountId, () =>
        refundCharge(pool, { accountId, requestId, amountNanoUsd, reason, reference, at: now() }),
      ),
    listCredits: ({ from, referencePrefix }) =>
      listCredits(pool, { from: dateOfTimestamp(from), referencePrefix }),
    async sumStatement({ accountId, from, to }) {
      await flushCaptures(parts, accountId);
      const period = { accountId, from: dateOfTimestamp(from), to: dateOfTimestamp(to) };
      return sumStatement(pool, period);
    },
    async sumWallets({ from, to }) {
      await flushCaptures(parts);
      return sumWallets(pool, { from: dateOfTimestamp(from), to: dateOfTimestamp(to) });
    },
  };
}
