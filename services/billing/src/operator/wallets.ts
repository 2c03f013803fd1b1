import { GatewayError, invalidParam } from "@tollgate/core/errors";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount } from "../accounts.ts";
import { toAccount } from "./messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxReferenceLength = 200;

/** The operator's calls about wallets. */
export function implementWallets({ prisma, ledger }: OperatorParts) {
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
      const { wallet, credited } = await ledger.topUp({ accountId: id, amountNanoUsd, reference });
      return { credited, ...(wallet && { wallet }) };
    },
    async adjustWallet({ account, amountNanoUsd, reason, reference }) {
      const { id: accountId } = await requireAccount(prisma, account);
      requireReference(reference);
      const request = { accountId, amountNanoUsd, reason, reference };
      const { wallet, adjusted } = await ledger.adjust(request);
      return { adjusted, ...(wallet && { wallet }) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

function requireReference(reference: string): void {
  if (reference.trim() !== "" && reference.length <= maxReferenceLength) return;
  const message = `A reference has 1 to ${maxReferenceLength} characters.`;
  throw new GatewayError("invalid_param", message, { param: "reference" });
}
