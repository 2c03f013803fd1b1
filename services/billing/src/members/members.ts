import { GatewayError, invalidParam } from "@tollgate/core/errors";
import type { Member, Operator, Prisma } from "../generated/client.ts";

type Database = Prisma.TransactionClient;

export type StoredMember = Member & { person: Operator };

const maxMembers = 1_000;

/** Resolves with the members of an account, by name. */
export function listMembers(database: Database, accountId: string): Promise<StoredMember[]> {
  return database.member.findMany({
    where: { accountId },
    include: { person: true },
    orderBy: [{ person: { name: "asc" } }, { personId: "asc" }],
    take: maxMembers,
  });
}

/** Resolves with a member of an account. Throws `not_found`. */
export async function requireMember(
  database: Database,
  accountId: string,
  personId: string,
): Promise<StoredMember> {
  const member = await database.member.findUnique({
    where: { accountId_personId: { accountId, personId } },
    include: { person: true },
  });
  if (member !== null) return member;
  const message = `The account has no member with the id ${personId}.`;
  throw new GatewayError("not_found", message, { param: "person_id" });
}

/**
 * Resolves with a person who is a member of no account and waits for none. Throws `not_found`, and `invalid_param`
 * for an operator and for a member. Call it in a transaction that has locked the row of the person.
 */
export async function requireFormerMember(database: Database, personId: string): Promise<Operator> {
  const person = await database.operator.findUnique({
    where: { id: personId },
    include: { memberships: true, signUps: true },
  });
  if (person === null) {
    throw new GatewayError("not_found", `No person has the id ${personId}.`, {
      param: "person_id",
    });
  }
  const { role, accountId, memberships, signUps } = person;
  if (role !== "customer" || accountId !== null) {
    throw invalidParam("person_id", "names an operator");
  }
  if (memberships.length > 0 || signUps.length > 0) {
    const problem = "names a member of an account, or somebody who waits for one: end that first";
    throw invalidParam("person_id", problem);
  }
  return person;
}

/**
 * Throws `invalid_param` where the change of an admin has left none. Call it in a transaction that has
 * locked the account's row, so that two changes cannot remove the last two.
 */
export async function requireAnAdmin(database: Database, before: Member): Promise<void> {
  const { accountId } = before;
  if (before.role !== "admin") return;
  if ((await database.member.count({ where: { accountId, role: "admin" } })) > 0) return;
  const problem = "names the last admin of the account: make another member an admin first";
  throw invalidParam("person_id", problem);
}

/**
 * Resolves with whether a person is the only admin of an account. Call it in a transaction that has locked
 * the account's row.
 */
export async function isLastAdmin(
  database: Database,
  accountId: string,
  personId: string,
): Promise<boolean> {
  const admins = await database.member.findMany({ where: { accountId, role: "admin" }, take: 2 });
  return admins.length === 1 && admins[0]?.personId === personId;
}

/** Makes a person a member. A person who is one already keeps the role. */
export async function addMember(
  database: Database,
  member: { accountId: string; personId: string; role: string; origin: string },
): Promise<void> {
  await database.member.createMany({ data: [member], skipDuplicates: true });
}
