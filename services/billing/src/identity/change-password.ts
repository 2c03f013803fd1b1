import { GatewayError, invalidParam } from "@tollgate/core/errors";
import type { ChangePasswordRequest } from "@tollgate/proto/tollgate/v1/identity";
import { type AuditActor, recordChange } from "../audit.ts";
import type { Operator, PrismaClient } from "../generated/client.ts";
import { checkNewPassword, type Passwords } from "./passwords.ts";
import { extendSession, type LiveSession } from "./sessions.ts";
import { admitSignIn } from "./sign-in-failures.ts";

/**
 * Sets the password of a session's operator and ends the other sessions. Throws `not_found` without a
 * session, and `invalid_param` for a wrong present password or a new one that is not accepted.
 */
export async function changePassword(
  { prisma, passwords }: { prisma: PrismaClient; passwords: Passwords },
  { sessionHash: hash, address, presentPassword, newPassword }: ChangePasswordRequest,
  now: () => Date,
): Promise<void> {
  const sessionHash = new Uint8Array(hash);
  const session = await requireLocalSession(prisma, sessionHash, now());
  const { operator } = session;
  checkNewPassword(newPassword);
  await checkPresentPassword({ prisma, passwords }, session, { presentPassword, address }, now());
  const passwordHash = await passwords.hash(newPassword);
  const { id: operatorId } = operator;
  await prisma.$transaction(async (transaction) => {
    await transaction.operator.update({ where: { id: operatorId }, data: { passwordHash } });
    const others = { operatorId, sessionHash: { not: sessionHash } };
    await transaction.operatorSession.deleteMany({ where: others });
    const subject = { subjectKind: "operator", subjectId: operatorId } as const;
    await recordChange(transaction, selfActor(operator), { action: "SetPassword", ...subject });
  });
}

/**
 * Resolves with the session of an operator or a member who signs in here. Throws `not_found` without one, and
 * `invalid_param` for somebody who signs in by a provider.
 */
export async function requireLocalSession(
  prisma: PrismaClient,
  sessionHash: Uint8Array<ArrayBuffer>,
  now: Date,
): Promise<LiveSession> {
  const session = await extendSession(prisma, sessionHash, now);
  if (session === undefined) throw new GatewayError("not_found", "The session has ended.");
  if (session.operator.issuer === "") return session;
  throw invalidParam("session_hash", "is of somebody who signs in by a provider");
}

/**
 * Throws `invalid_param` for a wrong present password, and `rate_limited` after too many. Who has none, or
 * has signed in by a link, needs none.
 */
export async function checkPresentPassword(
  { prisma, passwords }: { prisma: PrismaClient; passwords: Passwords },
  { operator, method }: LiveSession,
  { presentPassword, address }: { presentPassword: string; address: string },
  now: Date,
): Promise<void> {
  if (operator.passwordHash === null || method === "link") return;
  const succeeded = await admitSignIn(prisma, { name: operator.name, address }, now);
  if (!(await passwords.isStored(presentPassword, operator.passwordHash))) {
    throw invalidParam("present_password", "is not the present password");
  }
  await succeeded();
}

/** Returns an operator or a member who changes their own credentials, as the audit log names them. */
export function selfActor({ id, name, email }: Operator): AuditActor {
  return { kind: email === "" ? "operator" : "member", id, name };
}
