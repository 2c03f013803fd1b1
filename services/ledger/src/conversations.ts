import type pg from "pg";
import type { PrismaClient } from "./generated/client.ts";
import { inTransaction } from "./transaction.ts";

const maxEntries = 10_000;

/** The entries that are linked to a conversation, oldest first. */
export async function listConversationEntries(
  prisma: PrismaClient,
  query: { accountId: string; conversationId: string },
) {
  return prisma.entry.findMany({ where: query, orderBy: { id: "asc" }, take: maxEntries });
}

/**
 * Clears the link of all entries to conversations that are deleted, also of those whose usage
 * events come later. The wallet's lock, which a capture takes too, keeps the two apart. Again
 * changes nothing.
 */
export async function unlinkConversations(
  pool: pg.Pool,
  accountId: string,
  conversationIds: readonly string[],
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query("SELECT FROM wallet WHERE account_id = $1 FOR UPDATE", [accountId]);
    await client.query(
      `INSERT INTO deleted_conversation (conversation_id) SELECT unnest($1::text[])
       ON CONFLICT DO NOTHING`,
      [conversationIds],
    );
    await client.query(
      `UPDATE entry SET conversation_id = NULL
       WHERE conversation_id = ANY ($1) AND account_id = $2`,
      [conversationIds, accountId],
    );
  });
}
