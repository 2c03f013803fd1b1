import type { Prisma, PrismaClient } from "./generated/client.ts";

/** A change waits for the ledger, which may wait for a wallet that is locked. */
const timeoutMs = 20_000;

/**
 * Runs `work` in a transaction that has locked the row of an account or of a key, so that changes of
 * it take turns.
 */
export function withLockedRow<Result>(
  prisma: PrismaClient,
  table: "account" | "api_key",
  id: string,
  work: (transaction: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  return prisma.$transaction(
    async (transaction) => {
      if (table === "account") {
        await transaction.$queryRaw`SELECT 1 FROM account WHERE id = ${id} FOR UPDATE`;
      } else {
        await transaction.$queryRaw`SELECT 1 FROM api_key WHERE id = ${id} FOR UPDATE`;
      }
      return work(transaction);
    },
    { timeout: timeoutMs, maxWait: timeoutMs },
  );
}
