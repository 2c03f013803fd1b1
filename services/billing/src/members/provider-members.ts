import { newId } from "@tollgate/core/ids";
import type { ProviderMembership } from "@tollgate/proto/tollgate/v1/identity";
import { requireAccount } from "../accounts.ts";
import type { Operator, Prisma, PrismaClient } from "../generated/client.ts";
import { storedMemberRole } from "./member-roles.ts";
import { isLastAdmin } from "./members.ts";

/**
 * Resolves with the person whom an OpenID provider has authenticated. Adds the memberships that the claims
 * give, and ends those that earlier claims gave and these do not, except for that of an account's last admin.
 * A membership by invitation stays as it is, even if the claims give another role. Throws `not_found` for an
 * unknown account.
 */
export async function signInMember(
  prisma: PrismaClient,
  person: { issuer: string; subject: string; name: string; email: string },
  given: readonly ProviderMembership[],
): Promise<Operator> {
  const { issuer, subject, name, email } = person;
  const wanted = new Map<string, string>();
  for (const { account, role } of given) {
    const { id, closedAt } = await requireAccount(prisma, account);
    if (closedAt === null) wanted.set(id, storedMemberRole(role));
  }
  return prisma.$transaction(async (transaction) => {
    const fields = { name, email, role: "customer", accountId: null };
    const operator = await transaction.operator.upsert({
      where: { issuer_subject: { issuer, subject } },
      create: { id: newId("operator"), issuer, subject, ...fields },
      update: fields,
    });
    await setMemberships(transaction, operator.id, wanted);
    return operator;
  });
}

/** Makes the memberships that came by a provider the wanted ones: roles, by the ids of accounts. */
async function setMemberships(
  transaction: Prisma.TransactionClient,
  personId: string,
  wanted: ReadonlyMap<string, string>,
): Promise<void> {
  const byProvider = { personId, origin: "provider" };
  const before = await transaction.member.findMany({ where: byProvider });
  const accountIds = before.map(({ accountId }) => accountId);
  // In one order, so that two sign-ins at the same time cannot wait for each other.
  await transaction.$queryRaw`
    SELECT 1 FROM account WHERE id = ANY(${accountIds}) ORDER BY id FOR UPDATE`;
  for (const { accountId, role } of before) {
    const next = wanted.get(accountId);
    if (next === role || (await isLastAdmin(transaction, accountId, personId))) continue;
    const where = { ...byProvider, accountId };
    if (next === undefined) await transaction.member.deleteMany({ where });
    else await transaction.member.updateMany({ where, data: { role: next } });
  }
  const data = Array.from(wanted, ([accountId, role]) => ({ accountId, ...byProvider, role }));
  await transaction.member.createMany({ data, skipDuplicates: true });
}
