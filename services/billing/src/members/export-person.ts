import type { AuditRecord, Member, Prisma } from "../generated/client.ts";

type Database = Prisma.TransactionClient;

/** How many of a person's acts one document has: the newest. */
const maxActs = 1_000;

/** A part of what is stored of a person. */
interface ExportedPart {
  /** A JSON object. */
  document: string;
  /** What to pass as `beforeAct` for the next part; empty: this one is the last. */
  nextAct: string;
}

/**
 * Resolves with what is stored of an operator or a member as JSON, for the person: name and address,
 * memberships, sessions, sign-ups and invitations, and the records of the audit log about their own acts. It
 * has no secrets and no hashes. With `beforeAct`, the document has the acts before that one alone.
 */
export async function exportPerson(
  database: Database,
  { personId, beforeAct }: { personId: string; beforeAct: string },
  now: Date,
): Promise<ExportedPart> {
  const found = await database.auditRecord.findMany({
    where: { actorId: personId, ...(beforeAct !== "" && { id: { lt: beforeAct } }) },
    orderBy: { id: "desc" },
    take: maxActs + 1,
  });
  const acts = found.slice(0, maxActs);
  const own = beforeAct === "" ? await describePerson(database, personId, now) : {};
  const document = { ...own, acts: acts.map(actJson) };
  return {
    document: `${JSON.stringify(document, undefined, 2)}\n`,
    nextAct: found.length > maxActs ? (acts.at(-1)?.id ?? "") : "",
  };
}

/** Resolves with what is stored of a person except for the acts. */
async function describePerson(database: Database, personId: string, now: Date): Promise<object> {
  const person = await database.operator.findUniqueOrThrow({
    where: { id: personId },
    include: { memberships: { include: { account: true } }, sessions: true, secondFactor: true },
  });
  const { email } = person;
  const [signUps, invitations] = await Promise.all([
    database.signUp.findMany({ where: { OR: [{ personId }, ...byAddress(email)] } }),
    email === "" ? [] : database.invitation.findMany({ where: { email } }),
  ]);
  return {
    exported_at: now,
    person: {
      ...{ id: personId, name: person.name, email, role: person.role },
      ...{ issuer: person.issuer, subject: person.subject },
      has_password: person.passwordHash !== null,
      second_factor_since: person.secondFactor?.enabledAt ?? null,
      ...{ created_at: person.createdAt, last_signed_in_at: person.lastSignedInAt },
    },
    memberships: person.memberships.map(membershipJson),
    sessions: person.sessions.map(({ method, createdAt, expiresAt }) => ({
      ...{ method, created_at: createdAt, expires_at: expiresAt },
    })),
    sign_ups: signUps.map(({ email: address, accountName, createdAt }) => ({
      ...{ email: address, account_name: accountName, created_at: createdAt },
    })),
    invitations: invitations.map(({ accountId, role, createdAt, expiresAt }) => ({
      ...{ account_id: accountId, role, created_at: createdAt, expires_at: expiresAt },
    })),
  };
}

function byAddress(email: string): Prisma.SignUpWhereInput[] {
  return email === "" ? [] : [{ email }];
}

function membershipJson(member: Member & { account: { name: string } }) {
  const { accountId, account, role, origin, createdAt } = member;
  return { account_id: accountId, account_name: account.name, role, origin, since: createdAt };
}

function actJson({ at, action, subjectKind, subjectId, accountId, before, after }: AuditRecord) {
  const subject = { subject_kind: subjectKind, subject_id: subjectId, account_id: accountId };
  return { at, action, ...subject, before, after };
}
