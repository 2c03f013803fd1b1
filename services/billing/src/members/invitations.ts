import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { hashOfSecret, newSecret } from "@tollgate/core/secrets";
import type { Account, Invitation, Prisma } from "../generated/client.ts";

type Database = Prisma.TransactionClient;

/** How long the link of an invitation works. */
const invitationMs = 7 * 24 * 60 * 60_000;
const maxInvitations = 1_000;

export interface NewInvitation {
  accountId: string;
  email: string;
  role: string;
}

/**
 * Creates an invitation, in place of an earlier one to the same account and address. Its secret is
 * returned only here, and not stored. Throws `invalid_param` for the address of a member, and where the
 * account has too many invitations.
 */
export async function createInvitation(
  database: Database,
  { accountId, email, role }: NewInvitation,
  now: Date,
): Promise<{ invitation: Invitation; secret: string }> {
  const member = await database.member.findFirst({ where: { accountId, person: { email } } });
  if (member !== null) {
    throw invalidParam("email", "is that of a member already: change the member's role");
  }
  await database.invitation.deleteMany({ where: { expiresAt: { lte: now } } });
  await database.invitation.deleteMany({ where: { accountId, email } });
  if ((await database.invitation.count({ where: { accountId } })) >= maxInvitations) {
    throw invalidParam("email", `cannot be invited: there are ${maxInvitations} invitations`);
  }
  const secret = newSecret();
  const expiresAt = new Date(now.getTime() + invitationMs);
  const fields = { accountId, email, role, createdAt: now, expiresAt };
  const data = { id: newId("invitation"), secretHash: hashOfSecret(secret), ...fields };
  return { invitation: await database.invitation.create({ data }), secret };
}

/** Resolves with the invitations of an account that are valid, newest first. */
export function listInvitations(
  database: Database,
  accountId: string,
  now: Date,
): Promise<Invitation[]> {
  return database.invitation.findMany({
    where: { accountId, expiresAt: { gt: now } },
    orderBy: { id: "desc" },
    take: maxInvitations,
  });
}

/** Deletes an invitation of an account, and resolves with it. Throws `not_found`. */
export async function withdrawInvitation(
  database: Database,
  accountId: string,
  id: string,
): Promise<Invitation> {
  const invitation = await database.invitation.findFirst({ where: { id, accountId } });
  const { count } = await database.invitation.deleteMany({ where: { id, accountId } });
  if (invitation !== null && count > 0) return invitation;
  const message = `The account has no invitation with the id ${id}.`;
  throw new GatewayError("not_found", message, { param: "invitation_id" });
}

/** Resolves with a valid invitation and its account; null for any other. */
export function findInvitation(
  database: Database,
  secretHash: Uint8Array<ArrayBuffer>,
  now: Date,
): Promise<(Invitation & { account: Account }) | null> {
  return database.invitation.findFirst({
    where: { secretHash, expiresAt: { gt: now } },
    include: { account: true },
  });
}
