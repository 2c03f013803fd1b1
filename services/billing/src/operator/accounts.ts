import { GatewayError } from "@tollgate/core/errors";
import { maxBalanceNanoUsd } from "@tollgate/core/money";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import {
  type CountedAccount,
  createAccount,
  listAccounts,
  readAccount,
  requireAccount,
  updateAccount,
} from "../accounts.ts";
import { changeLimits, findLimits, hasLimits } from "../limits.ts";
import { pageSize, toAccount } from "./messages.ts";
import type { OperatorParts } from "./parts.ts";

const openingReference = "opening-credit";

/** The operator's calls about accounts. */
export function implementAccounts({ prisma, ledger, notices }: OperatorParts) {
  /** Whether an account's row was written without its wallet, so that it can be created again. */
  async function isIncomplete(accountId: string): Promise<boolean> {
    return (await ledger.getWallet({ accountId })).wallet === undefined;
  }

  async function summaryOf(account: CountedAccount) {
    const { id: accountId, activeKeys } = account;
    const [{ wallet }, limits] = await Promise.all([
      ledger.getWallet({ accountId }),
      findLimits(ledger, [accountId]),
    ]);
    const message = toAccount(account, limits.get(accountId));
    return { account: message, activeKeys, ...(wallet && { wallet }) };
  }

  return {
    async createAccount({ name, creditNanoUsd, admission, limits }) {
      if (creditNanoUsd > maxBalanceNanoUsd || creditNanoUsd % 1_000n !== 0n) {
        const message = "A credit has at most six decimals, and fits a wallet.";
        throw new GatewayError("invalid_param", message, { param: "credit" });
      }
      const account = await createAccount(prisma, { name, admission }, isIncomplete);
      const accountId = account.id;
      if (hasLimits(limits)) {
        // An account is used only once it has a key.
        await updateAccount(prisma, accountId, { isLimited: true });
        await ledger.setLimits({ accountId, ownerId: accountId, limits });
      }
      const opening = { accountId, amountNanoUsd: creditNanoUsd, reference: openingReference };
      const { wallet } = await ledger.topUp(opening);
      const found = await findLimits(ledger, hasLimits(limits) ? [accountId] : []);
      return { account: toAccount(account, found.get(accountId)), ...(wallet && { wallet }) };
    },
    async updateAccount({ account: name, admission, limits: changes }) {
      const { id } = await requireAccount(prisma, name);
      if (admission !== undefined) await updateAccount(prisma, id, { admission });
      if (changes !== undefined) {
        const owner = { accountId: id, ownerId: id };
        await changeLimits(ledger, owner, changes, (isLimited) =>
          updateAccount(prisma, id, { isLimited }),
        );
      }
      notices.publish("account.changed", id);
      const limits = await findLimits(ledger, [id]);
      return { account: toAccount(await requireAccount(prisma, id), limits.get(id)) };
    },
    async listAccounts({ limit, beforeAccountId }) {
      const page = { limit: pageSize(limit), beforeAccountId };
      const { accounts, hasMore } = await listAccounts(prisma, page);
      return { accounts: await Promise.all(accounts.map(summaryOf)), hasMore };
    },
    async getAccount({ account }) {
      return { account: await summaryOf(await readAccount(prisma, account)) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}
