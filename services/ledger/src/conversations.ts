import type pg from "pg";
import type { PrismaClient } from "./generated/client.ts";

const maxEntries = 10_000;

/** The entries that are linked to a conversation, oldest first. */
export async function listConversationEntries(
  prisma: PrismaClient,
  query: { accountId: string; conversationId: string },
) {
  return prisma.entry.findMany({ where: query, orderBy: { id: "asc" }, take: maxEntries });
}

/** So many entries are cleared in one statement, which may not take long. */
const clearLimit = 1_000;

/**
 * Clears the link of all entries to conversations that are deleted, also of those whose usage
 * events come later: the wallet's lock, which a capture takes too, keeps the two apart. It is not
 * held while links are cleared, since captures and holds of other wallets would wait behind its
 * own. Again changes nothing, and goes on where the signal ended it.
 */
export async function unlinkConversations(
  pool: pg.Pool,
  { accountId, conversationIds }: { accountId: string; conversationIds: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  await pool.query({
    name: "record-deleted-conversations",
    text: "SELECT record_deleted_conversations($1, $2)",
    values: [accountId, conversationIds],
  });
  for (let cleared = clearLimit; cleared === clearLimit; ) {
    signal.throwIfAborted();
    const values = [conversationIds, accountId, clearLimit];
    const { rowCount } = await pool.query({ name: "clear-links", text: clearLinksSql, values });
    cleared = rowCount ?? 0;
  }
}

/** It locks rows before it counts them: another that clears them too leaves it others, or none. */
const clearLinksSql = `
  UPDATE entry SET conversation_id = NULL WHERE id IN (
    SELECT id FROM entry WHERE conversation_id = ANY ($1) AND account_id = $2
    LIMIT $3 FOR UPDATE)`;
