import { randomUUID } from "node:crypto";
import type { Prisma, WarningChannel } from "../generated/client.ts";
import { endCredentials } from "../identity/operators.ts";
import { deleteFactor } from "../identity/second-factors.ts";
import type { Sealer } from "../sealing.ts";
import { openTarget } from "../warnings/channels.ts";

type Database = Prisma.TransactionClient;

/** How many channels of mail are read at a time. */
const channelsAtOnce = 500;

/**
 * Deletes the name, address, password, sessions and links of a person who is a member of no account and waits
 * for none, also from the audit log. Does nothing for any other. The row stays, disabled, because the audit log
 * refers to its id.
 */
export async function erasePerson(database: Database, personId: string, now: Date): Promise<void> {
  if ((await database.member.count({ where: { personId } })) > 0) return;
  if ((await database.signUp.count({ where: { personId } })) > 0) return;
  await endCredentials(database, personId, now);
  await deleteFactor(database, personId);
  const none = { name: "", email: "", passwordHash: null };
  const data = { ...none, subject: `erased:${personId}`, issuer: "", disabledAt: now };
  await database.operator.update({ where: { id: personId }, data });
  await database.auditRecord.updateMany({ where: { actorId: personId }, data: { actorName: "" } });
  await database.$executeRaw`
    UPDATE audit_record SET before = (before::jsonb - 'name' - 'email')::json,
      after = (after::jsonb - 'name' - 'email')::json
    WHERE subject_kind = 'operator' AND subject_id = ${personId}`;
}

/**
 * Deletes what is stored of a person elsewhere than in the own row: invitations and sign-ups of the address, the
 * channels of mail to it, and the owners of the keys that the person created.
 */
export async function eraseTraces(
  database: Database,
  { id: memberId, email }: { id: string; email: string },
  sealer: Sealer | undefined,
): Promise<void> {
  const keys = await database.apiKey.findMany({ where: { memberId }, select: { id: true } });
  await eraseOwners(
    database,
    keys.map(({ id }) => id),
  );
  if (email === "") return;
  await database.invitation.deleteMany({ where: { email } });
  await database.signUp.deleteMany({ where: { email } });
  if (sealer !== undefined) await deleteMailChannels(database, sealer, email);
}

/** Deletes the channels of accounts that mail an address. Those of the gateway are of operators. */
async function deleteMailChannels(database: Database, sealer: Sealer, email: string) {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const channels: WarningChannel[] = await database.warningChannel.findMany({
      where: { kind: "mail", accountId: { not: "" }, id: { gt: after } },
      orderBy: { id: "asc" },
      take: channelsAtOnce,
    });
    const ids = channels.filter((one) => mails(sealer, one, email)).map(({ id }) => id);
    await database.warningChannel.deleteMany({ where: { id: { in: ids } } });
    after = channels.length < channelsAtOnce ? undefined : channels.at(-1)?.id;
  }
}

function mails(sealer: Sealer, channel: WarningChannel, email: string): boolean {
  try {
    return openTarget(sealer, channel).target === email;
  } catch {
    // Nobody can read a target that an earlier TOLLGATE_IDENTITY_KEY encrypted.
    return false;
  }
}

/**
 * Removes the members of an account, and deletes what is stored of its people: those who are members of no
 * other account, operators with the role customer, invitations, channels of warnings, and the owners of keys,
 * also in the audit log. It replaces the salt of end users, so that their hashes in the ledger cannot be
 * computed again.
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
  const customers = await database.operator.findMany({ where: { accountId, role: "customer" } });
  const personIds = [
    ...members.map(({ personId }) => personId),
    ...customers.map(({ id }) => id),
  ].sort();
  for (const personId of personIds) await erasePerson(database, personId, now);
  await database.warning.deleteMany({ where });
  await database.warningChannel.deleteMany({ where });
  await database.warningSettings.deleteMany({ where });
  const keys = await database.apiKey.findMany({ where, select: { id: true } });
  await eraseOwners(
    database,
    keys.map(({ id }) => id),
  );
  await database.account.update({ where: { id: accountId }, data: { endUserSalt: randomUUID() } });
}

/** Deletes the owners of keys, also from the audit log. */
async function eraseOwners(database: Database, keyIds: string[]): Promise<void> {
  await database.apiKey.updateMany({ where: { id: { in: keyIds } }, data: { owner: "" } });
  await database.$executeRaw`
    UPDATE audit_record SET before = (before::jsonb - 'owner')::json, after = (after::jsonb - 'owner')::json
    WHERE subject_kind = 'key' AND subject_id = ANY(${keyIds})`;
}
