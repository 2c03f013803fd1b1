import type { Prisma, PrismaClient } from "./generated/client.ts";

/** A change waits for the ledger, which may wait for a wallet that is locked. */
const timeoutMs = 20_000;

type LockedTable = "account" | "api_key" | "operator";

/**
 * Runs `work` in a transaction that has locked the row of an account, a key or a person, so that changes of
 * it take turns.
 */
export function withLockedRow<Result>(
  prisma: PrismaClient,
  table: LockedTable,
  id: string,
  work: (transaction: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  return prisma.$transaction(
    async (transaction) => {
      await lockRow(transaction, table, id);
      return work(transaction);
    },
    { timeout: timeoutMs, maxWait: timeoutMs },
  );
}

/** Locks a row until the transaction ends. Lock the account before its keys, so that no two changes deadlock. */
export async function lockRow(
  transaction: Prisma.TransactionClient,
  table: LockedTable,
  id: string,
): Promise<void> {
  if (table === "account") {
    await transaction.$queryRaw`SELECT 1 FROM account WHERE id = ${id} FOR UPDATE`;
  } else if (table === "operator") {
    await transaction.$queryRaw`SELECT 1 FROM operator WHERE id = ${id} FOR UPDATE`;
  } else {
    await transaction.$queryRaw`SELECT 1 FROM api_key WHERE id = ${id} FOR UPDATE`;
  }
}
