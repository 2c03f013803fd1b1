import type { Log } from "@tollgate/core/log";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import type { PrismaClient } from "../generated/client.ts";

const intervalMs = 15_000;
/** How many rows one statement deletes. */
const batchRows = 500;

export interface ContentBounds {
  prisma: PrismaClient;
  log: Log;
  /** The most that is stored of one account. */
  maxBytes: number;
}

/** Deletes what must not be stored any more: every 15 seconds, and when it is woken. */
export function repeatContentDeletion(parts: ContentBounds): Repeating {
  return repeat(() => deleteContents(parts), { everyMs: intervalMs });
}

/**
 * Deletes the contents of accounts that do not store them any more or are closed, those that are older than
 * the days of their account, and the oldest of an account that has more than `maxBytes`. A failure is logged.
 */
export async function deleteContents({ prisma, log, maxBytes }: ContentBounds): Promise<void> {
  try {
    for (const accountId of await accountsWithContents(prisma)) {
      while ((await deleteBatch(prisma, accountId, maxBytes)) === batchRows);
    }
  } catch (error) {
    const reason = (error as Error).message;
    log.warn({ reason }, "deleting old contents of requests failed and will be retried");
  }
}

/** Reads one row of the index for each account, however many contents there are. */
async function accountsWithContents(prisma: PrismaClient): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ account_id: string }[]>`
    WITH RECURSIVE of_account (account_id) AS (
      (SELECT account_id FROM request_content ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT (SELECT account_id FROM request_content WHERE account_id > of_account.account_id
        ORDER BY account_id LIMIT 1)
      FROM of_account WHERE of_account.account_id IS NOT NULL
    )
    SELECT account_id FROM of_account WHERE account_id IS NOT NULL`;
  return rows.map(({ account_id: accountId }) => accountId);
}

/** Deletes some of an account's contents that must go. Resolves with their number. */
function deleteBatch(prisma: PrismaClient, accountId: string, maxBytes: number): Promise<number> {
  return prisma.$executeRaw`
    DELETE FROM request_content WHERE request_id IN (
      SELECT request_id FROM (
        SELECT request_id, stored_at,
          sum(bytes) OVER (ORDER BY stored_at DESC, request_id DESC) AS newer_bytes
        FROM request_content WHERE account_id = ${accountId}
      ) content, (
        SELECT CASE WHEN closed_at IS NULL THEN content_days END AS days
        FROM account WHERE id = ${accountId}
      ) account
      WHERE days IS NULL OR newer_bytes > ${maxBytes} OR stored_at < now() - make_interval(days => days)
      LIMIT ${batchRows})`;
}
