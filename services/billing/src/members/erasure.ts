import type { Prisma } from "../generated/client.ts";
import { endCredentials } from "../identity/operators.ts";
import { deleteFactor } from "../identity/second-factors.ts";

/**
 * Deletes the name, address, password, sessions and links of a person who is a member of no account. Does
 * nothing for a member of an account. The row stays, disabled, because the audit log refers to its id.
 */
export async function erasePerson(
  database: Prisma.TransactionClient,
  personId: string,
  now: Date,
): Promise<void> {
  if ((await database.member.count({ where: { personId } })) > 0) return;
  await endCredentials(database, personId, now);
  await deleteFactor(database, personId);
  const none = { name: "", email: "", passwordHash: null };
  const data = { ...none, subject: `erased:${personId}`, issuer: "", disabledAt: now };
  await database.operator.update({ where: { id: personId }, data });
}
