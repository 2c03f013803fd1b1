import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import { revokeKeysOf } from "../keys.ts";
import { erasePeopleOf } from "../members/erasure.ts";
import { withLockedRow } from "../row-lock.ts";
import { toAccount } from "./account-messages.ts";
import { publishKeyChange } from "./key-notice.ts";
import type { OperatorParts } from "./parts.ts";

/** The calls that end an account, or all of its keys. */
export function implementAccountEnds(parts: OperatorParts) {
  const { prisma, actor, notices, contentDeletion, now } = parts;

  /** Notifies the edges, which look up the keys again and end their streams. */
  function publishEnd(accountId: string, keyHashes: readonly Uint8Array[]): void {
    notices.publish("account.changed", accountId);
    for (const keyHash of keyHashes) publishKeyChange(notices, keyHash);
  }

  return {
    async revokeAccountKeys({ account }) {
      const { id: accountId } = await requireAccount(prisma, account);
      const { keyHashes, revoked } = await prisma.$transaction(async (transaction) => {
        const where = { accountId, revokedAt: null };
        const revoked = await transaction.apiKey.count({ where });
        const keyHashes = await revokeKeysOf(transaction, { accountId }, now());
        await recordChange(transaction, actor, {
          action: "RevokeAccountKeys",
          ...{ subjectKind: "account", subjectId: accountId, accountId },
          after: { revoked },
        });
        return { keyHashes, revoked };
      });
      publishEnd(accountId, keyHashes);
      return { revoked };
    },
    async closeAccount({ account: name }) {
      const { id: accountId } = await requireAccount(prisma, name);
      const { closed, keyHashes } = await withLockedRow(
        prisma,
        "account",
        accountId,
        async (transaction) => {
          const at = now();
          const before = await transaction.account.findUniqueOrThrow({ where: { id: accountId } });
          const keyHashes = await revokeKeysOf(transaction, { accountId }, at);
          await erasePeopleOf(transaction, accountId, at);
          await transaction.autoTopUp.deleteMany({ where: { accountId } });
          const data = { closedAt: before.closedAt ?? at, frozenAt: before.frozenAt ?? at };
          const closed = await transaction.account.update({ where: { id: accountId }, data });
          await recordChange(transaction, actor, {
            action: "CloseAccount",
            ...{ subjectKind: "account", subjectId: accountId, accountId },
            after: { closed_at: data.closedAt.toISOString() },
          });
          return { closed, keyHashes };
        },
      );
      publishEnd(accountId, keyHashes);
      contentDeletion.wake();
      await prisma.refusal.deleteMany({ where: { accountId } });
      await deleteConversationsOf(parts, accountId);
      return { account: toAccount(closed) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** Deletes the conversations of an account's keys, which nobody else can delete once they are revoked. */
async function deleteConversationsOf(
  { prisma, conversations }: OperatorParts,
  accountId: string,
): Promise<void> {
  const keys = await prisma.apiKey.findMany({ where: { accountId }, select: { id: true } });
  const keyIds = keys.map(({ id }) => id);
  if (keyIds.length === 0) return;
  if ((await conversations.countConversations({ keyIds })).conversations === 0) return;
  for (const keyId of keyIds) {
    await conversations.deleteConversations({ caller: { keyId, accountId } });
  }
}
