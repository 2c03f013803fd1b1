import type { Prisma } from "../generated/client.ts";
import { endCredentials } from "../identity/operators.ts";

/**
 * Deletes what is stored of a person who is a member of no account: name, address, password, sessions and
 * links. The row stays, disabled and without them, since the audit log refers to its id. Does nothing for
 * a member of an account.
 */
export async function erasePerson(
  database: Prisma.TransactionClient,
  personId: string,
  now: Date,
): Promise<void> {
  if ((await database.member.count({ where: { personId } })) > 0) return;
  await endCredentials(database, personId, now);
  const none = { name: "", email: "", passwordHash: null };
  const data = { ...none, subject: `erased:${personId}`, issuer: "", disabledAt: now };
  await database.operator.update({ where: { id: personId }, data });
}
