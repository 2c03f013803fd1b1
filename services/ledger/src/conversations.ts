import type pg from "pg";
import type { PrismaClient } from "./generated/client.ts";
import type { WalletLocks } from "./wallet-locks.ts";

const maxEntries = 10_000;

/**
 * Resolves with the newest 10,000 entries that are linked to a conversation, oldest first, with the
 * sum of all of them, and whether there are more. Entries of detached months count as more.
 */
export async function listConversationEntries(
  prisma: PrismaClient,
  query: { accountId: string; conversationId: string },
) {
  const key = { conversationId_accountId: query };
  const [newest, all] = await prisma.$transaction(
    [
      prisma.entry.findMany({
        where: query,
        // 10,000 of them could exceed the limit of a message.
        omit: { providerUsage: true },
        orderBy: { id: "desc" },
        take: maxEntries,
      }),
      prisma.conversationSpend.findUnique({ where: key }),
    ],
    // Both read the same snapshot: no entry that is added between them is in the sum only.
    { isolationLevel: "RepeatableRead" },
  );
  return {
    entries: newest.reverse(),
    totalNanoUsd: -(all?.chargedNanoUsd ?? 0n),
    hasMore: (all?.entries ?? 0n) > newest.length,
  };
}

/** Entries that one statement clears, so that it ends soon. */
const clearLimit = 1_000;

/**
 * Clears the link of all entries to deleted conversations, also of entries whose usage events
 * arrive later: the wallet's lock, which a capture takes too, orders the two. The lock is released
 * before the links are cleared, since it would block captures and holds, also of other wallets in
 * the same statement. Idempotent; a call that the signal cancels is completed by the next one.
 */
export async function unlinkConversations(
  pool: pg.Pool,
  locks: WalletLocks,
  { accountId, conversationIds }: { accountId: string; conversationIds: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const record = {
    name: "record-deleted-conversations",
    text: "SELECT record_deleted_conversations($1, $2)",
    values: [accountId, conversationIds],
  };
  await locks.run(accountId, () => pool.query(record));
  for (let cleared = clearLimit; cleared === clearLimit; ) {
    signal.throwIfAborted();
    const values = [conversationIds, accountId, clearLimit];
    const { rowCount } = await pool.query({ name: "clear-links", text: clearLinksSql, values });
    cleared = rowCount ?? 0;
  }
}

/**
 * Locks rows before it counts them, so that two calls at once clear different rows, and in one order,
 * whatever index a plan reads them by: two calls would otherwise wait for each other.
 */
const clearLinksSql = `
  UPDATE entry SET conversation_id = NULL WHERE (id, recorded_at) IN (
    SELECT id, recorded_at FROM entry WHERE conversation_id = ANY ($1) AND account_id = $2
    ORDER BY recorded_at, id LIMIT $3 FOR UPDATE)`;
