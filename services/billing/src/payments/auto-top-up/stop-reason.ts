import type { AutoTopUp, Prisma } from "../../generated/client.ts";

/** How many payments in a row a card may decline. */
const maxDeclines = 2;
/** Payments since the settings that are read. Two of them say whether the card declines. */
const maxRead = 100;

/**
 * Resolves with why automatic top-ups of an account have stopped, as a sentence; with an empty text if they
 * have not. It follows from the payments that were made since somebody set them: so no decline is counted
 * twice, and setting them again resumes them.
 */
export async function findStopReason(
  database: Prisma.TransactionClient,
  { accountId, setAt }: AutoTopUp,
): Promise<string> {
  const payments = await database.payment.findMany({
    where: { accountId, kind: "auto", createdAt: { gte: setAt } },
    orderBy: { id: "desc" },
    take: maxRead,
  });
  // Money that was paid in vain must not be followed by more.
  const refused = payments.find(({ state }) => state === "refused");
  if (refused !== undefined) return `A payment was not credited. ${refused.problem}`;
  if (payments.some(({ disputedNanoUsd }) => disputedNanoUsd > 0n)) return "A payment is disputed.";
  const newest = payments.slice(0, maxDeclines);
  if (newest.length < maxDeclines || newest.some(({ state }) => state !== "failed")) return "";
  return `The last ${maxDeclines} payments failed. ${newest[0]?.problem ?? ""}`.trim();
}
