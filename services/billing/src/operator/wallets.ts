import { GatewayError, invalidParam } from "@tollgate/core/errors";
import type { Wallet } from "@tollgate/proto/tollgate/v1/ledger";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import { toAccount } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxReferenceLength = 200;

interface WalletChange {
  wallet: Wallet | undefined;
  /** False if it was applied before. */
  applied: boolean;
  amountNanoUsd: bigint;
  /** What the ledger took from a top-up for debts. */
  collectedNanoUsd?: bigint;
  reference: string;
  reason?: string;
}

/** The operator's calls about wallets. */
export function implementWallets({ prisma, ledger, credits, actor }: OperatorParts) {
  /**
   * Records a change of a wallet right after it. A repeated call writes the record that is missing
   * if the process was killed in between.
   */
  function record(action: string, accountId: string, change: WalletChange): Promise<void> {
    const { wallet, applied, amountNanoUsd, collectedNanoUsd = 0n, reference, ...reason } = change;
    const balance = wallet?.balanceNanoUsd ?? 0n;
    const balances = applied
      ? {
          before: { balance_nano_usd: String(balance - amountNanoUsd + collectedNanoUsd) },
          after: { balance_nano_usd: String(balance) },
        }
      : {};
    return recordChange(prisma, actor, {
      action,
      ...{ subjectKind: "wallet", subjectId: accountId, accountId, reference },
      before: { ...balances.before },
      after: {
        ...balances.after,
        amount_nano_usd: String(amountNanoUsd),
        ...(collectedNanoUsd > 0n && { collected_nano_usd: String(collectedNanoUsd) }),
        reference,
        ...reason,
      },
    });
  }

  return {
    async readWallet({ account: name }) {
      const account = await requireAccount(prisma, name);
      const { wallet } = await ledger.getWallet({ accountId: account.id });
      return { account: toAccount(account), ...(wallet && { wallet }) };
    },
    async topUpWallet({ account, amountNanoUsd, reference }) {
      const { id } = await requireAccount(prisma, account);
      requireReference(reference);
      if (amountNanoUsd === 0n) throw invalidParam("amount", "must be more than 0");
      const topUp = { accountId: id, amountNanoUsd, reference };
      const { wallet, credited, collectedNanoUsd } = await ledger.topUp(topUp);
      const change = { wallet, applied: credited, amountNanoUsd, collectedNanoUsd, reference };
      await record("TopUpWallet", id, change);
      return { credited, ...(wallet && { wallet }) };
    },
    async adjustWallet({ account, amountNanoUsd, reason, reference }) {
      const { id: accountId } = await requireAccount(prisma, account);
      requireReference(reference);
      const request = { accountId, amountNanoUsd, reason, reference };
      const { wallet, adjusted } = await ledger.adjust(request);
      const change = { wallet, applied: adjusted, amountNanoUsd, reason, reference };
      await record("AdjustWallet", accountId, change);
      return { adjusted, ...(wallet && { wallet }) };
    },
    async refundRequest({ requestId, amountNanoUsd, reason, reference }) {
      requireReference(reference);
      const { entries } = await ledger.readRequest({ id: requestId, accountId: "" });
      const charged = entries.find((entry) => entry.requestId === requestId);
      if (charged === undefined) {
        const message = `No request with a charge has the id ${requestId}.`;
        throw new GatewayError("not_found", message, { param: "request_id" });
      }
      const { accountId } = charged;
      const request = { accountId, requestId, amountNanoUsd, reason, reference };
      const { wallet, refunded } = await credits.refundCharge(request);
      // A reference belongs to a request, and the audit log compares those of a wallet.
      const change = { wallet, applied: refunded, amountNanoUsd, reason };
      await record("RefundRequest", accountId, {
        ...change,
        reference: `${requestId}:${reference}`,
      });
      return { refunded, ...(wallet && { wallet }) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

function requireReference(reference: string): void {
  if (reference.trim() !== "" && reference.length <= maxReferenceLength) return;
  const message = `A reference has 1 to ${maxReferenceLength} characters.`;
  throw new GatewayError("invalid_param", message, { param: "reference" });
}
