import { endUserIdOf, isHashedEndUser } from "@tollgate/core/end-user";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount, updateAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import type { PrismaClient } from "../generated/client.ts";
import { withLockedRow } from "../row-lock.ts";
import { toAccount } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

/** The calls about the end users of accounts. */
export function implementEndUsers({ prisma, notices, actor }: OperatorParts) {
  return {
    async updateEndUsers({ account: name, keepsEndUsers }) {
      const { id } = await requireAccount(prisma, name);
      const account = await withLockedRow(prisma, "account", id, async (transaction) => {
        const before = await transaction.account.findUniqueOrThrow({ where: { id } });
        const after = await updateAccount(transaction, id, { keepsEndUsers });
        await recordChange(transaction, actor, {
          action: "UpdateEndUsers",
          ...{ subjectKind: "account", subjectId: id, accountId: id },
          before: { keeps_end_users: before.keepsEndUsers },
          after: { keeps_end_users: keepsEndUsers },
        });
        return after;
      });
      notices.publish("account.changed", id);
      return { account: toAccount(account) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/**
 * Resolves with an end user as it is stored. `named` is that already, or the text that the client of an account
 * sends; without an account, only what is stored is found.
 */
export async function findEndUser(
  prisma: PrismaClient,
  { accountId, named }: { accountId: string; named: string },
): Promise<string> {
  if (named === "" || accountId === "" || isHashedEndUser(named)) return named;
  const { keepsEndUsers, endUserSalt } = await prisma.account.findUniqueOrThrow({
    where: { id: accountId },
  });
  return endUserIdOf(named, keepsEndUsers ? "" : endUserSalt);
}
