import type { AcceptInvitationRequest } from "@tollgate/proto/tollgate/v1/identity";
import { recordChange } from "../audit.ts";
import type { Invitation, Operator, PrismaClient } from "../generated/client.ts";
import { checkNewPassword, type Passwords } from "../identity/passwords.ts";
import { findInvitation } from "./invitations.ts";
import { memberSnapshot } from "./member-messages.ts";
import { addMember } from "./members.ts";
import { createPerson, findPerson, readPersonName } from "./persons.ts";

export interface Acceptance {
  person: Operator;
  /** Whether the person is new, and may begin a session: the link proves that they read its mail. */
  isNew: boolean;
}

/**
 * Accepts an invitation, once. Resolves with who is a member now; undefined for a link that is not
 * valid. Throws `invalid_param` where a new person's name or password is not accepted.
 */
export async function acceptInvitation(
  { prisma, passwords }: { prisma: PrismaClient; passwords: Passwords },
  { secretHash: hash, name, password }: AcceptInvitationRequest,
  now: Date,
): Promise<Acceptance | undefined> {
  const secretHash = new Uint8Array(hash);
  const invitation = await findInvitation(prisma, secretHash, now);
  if (invitation === null) return undefined;
  const { email } = invitation;
  const known = await findPerson(prisma, email);
  if (known !== null && known.disabledAt !== null) return undefined;
  const created = known === null && (await newPerson(passwords, name, password));
  return prisma.$transaction(async (transaction) => {
    // The transaction that deletes the invitation accepts it; another one finds no row.
    const { count } = await transaction.invitation.deleteMany({ where: { secretHash } });
    if (count === 0) return undefined;
    const person = created ? await createPerson(transaction, { email, ...created }) : known;
    if (person === null) return undefined;
    const { accountId, role } = invitation;
    await addMember(transaction, { accountId, personId: person.id, role, origin: "invitation" });
    await recordAcceptance(transaction, invitation, person);
    return { person, isNew: known === null };
  });
}

async function newPerson(passwords: Passwords, name: string, password: string) {
  const read = readPersonName(name);
  checkNewPassword(password);
  return { name: read, passwordHash: await passwords.hash(password) };
}

function recordAcceptance(
  transaction: Parameters<typeof recordChange>[0],
  { accountId, role }: Invitation,
  { id, name }: Operator,
): Promise<void> {
  return recordChange(
    transaction,
    { kind: "member", id, name },
    {
      action: "AcceptInvitation",
      ...{ subjectKind: "member", subjectId: id, accountId },
      after: memberSnapshot({ role }),
    },
  );
}
