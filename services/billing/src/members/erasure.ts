import { randomUUID } from "node:crypto";
import type { Prisma } from "../generated/client.ts";
import { endCredentials } from "../identity/operators.ts";
import { deleteFactor } from "../identity/second-factors.ts";

type Database = Prisma.TransactionClient;

/**
 * Deletes the name, address, password, sessions and links of a person who is a member of no account and waits
 * for none. Does nothing for any other. The row stays, disabled, because the audit log refers to its id.
 */
export async function erasePerson(database: Database, personId: string, now: Date): Promise<void> {
  if ((await database.member.count({ where: { personId } })) > 0) return;
  if ((await database.signUp.count({ where: { personId } })) > 0) return;
  await endCredentials(database, personId, now);
  await deleteFactor(database, personId);
  const none = { name: "", email: "", passwordHash: null };
  const data = { ...none, subject: `erased:${personId}`, issuer: "", disabledAt: now };
  await database.operator.update({ where: { id: personId }, data });
}

/**
 * Removes the members of an account, and deletes what is stored of its people: those who are members of no
 * other account, invitations, channels of warnings, and the owners of keys, also in the audit log. It
 * replaces the salt of end users, so that their hashes in the ledger cannot be computed again.
 */
export async function erasePeopleOf(
  database: Database,
  accountId: string,
  now: Date,
): Promise<void> {
  const where = { accountId };
  const members = await database.member.findMany({ where });
  await database.member.deleteMany({ where });
  await database.invitation.deleteMany({ where });
  await database.signUp.deleteMany({ where });
  // In one order, so that the ends of two accounts cannot wait for each other.
  const personIds = members.map(({ personId }) => personId).sort();
  for (const personId of personIds) await erasePerson(database, personId, now);
  await database.warning.deleteMany({ where });
  await database.warningChannel.deleteMany({ where });
  await database.warningSettings.deleteMany({ where });
  await database.apiKey.updateMany({ where, data: { owner: "" } });
  await database.$executeRaw`
    UPDATE audit_record SET before = (before::jsonb - 'owner')::json, after = (after::jsonb - 'owner')::json
    WHERE account_id = ${accountId} AND subject_kind = 'key'`;
  await database.account.update({ where: { id: accountId }, data: { endUserSalt: randomUUID() } });
}
