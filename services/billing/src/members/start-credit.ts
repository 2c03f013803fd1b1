import type { Prisma, PrismaClient } from "../generated/client.ts";
import type { Sealer } from "../sealing.ts";
import { hostOf } from "./addresses.ts";
import { isPublicMailHost, mailboxOf, registrableDomain } from "./mail-hosts.ts";

/**
 * Takes the start credit of a mailbox and, unless its host is a public mail host, of its domain. Resolves with
 * true if no other account has taken either of the two. A second call for the same account resolves with the
 * same.
 */
export function takeStartCredit(
  prisma: PrismaClient,
  { fingerprint }: Sealer,
  { email, accountId }: { email: string; accountId: string },
): Promise<boolean> {
  const host = hostOf(email);
  const isPublic = isPublicMailHost(host);
  const names = [`address ${mailboxOf(email)}`];
  if (!isPublic) names.push(`domain ${registrableDomain(host)}`);
  const subjects = names.map(fingerprint).sort();
  return prisma.$transaction((transaction) => takeSubjects(transaction, subjects, accountId));
}

/**
 * Takes the start credit of a card, by Stripe's fingerprint of its number. Resolves with true if no other
 * account has taken it. A second call for the same account resolves with the same.
 */
export function takeCardCredit(
  prisma: PrismaClient,
  { fingerprint }: Sealer,
  { card, accountId }: { card: string; accountId: string },
): Promise<boolean> {
  return takeSubjects(prisma, [fingerprint(`card ${card}`)], accountId);
}

/** Another call that takes the same subject at the same time waits for this one. */
async function takeSubjects(
  database: Prisma.TransactionClient,
  subjects: string[],
  accountId: string,
): Promise<boolean> {
  const data = subjects.map((subject) => ({ subject, accountId }));
  await database.startCredit.createMany({ data, skipDuplicates: true });
  const taken = await database.startCredit.findMany({ where: { subject: { in: subjects } } });
  return taken.every((one) => one.accountId === accountId);
}
