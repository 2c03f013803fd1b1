import { newId } from "@tollgate/core/ids";
import type { ProviderMembership } from "@tollgate/proto/tollgate/v1/identity";
import { requireAccount } from "../accounts.ts";
import type { Operator, PrismaClient } from "../generated/client.ts";
import { storedMemberRole } from "./member-roles.ts";

/**
 * Resolves with a person whom an OpenID provider has authenticated, with the memberships that its claims
 * give. Memberships that they gave before and no longer do end; those of invitations stay, also where the
 * claims give another role. Throws `not_found` for an unknown account.
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
    const { id: personId } = operator;
    const byProvider = { personId, origin: "provider" };
    await transaction.member.deleteMany({
      where: { ...byProvider, accountId: { notIn: [...wanted.keys()] } },
    });
    for (const [accountId, role] of wanted) {
      await transaction.member.createMany({
        data: [{ accountId, ...byProvider, role }],
        skipDuplicates: true,
      });
      await transaction.member.updateMany({ where: { ...byProvider, accountId }, data: { role } });
    }
    return operator;
  });
}
