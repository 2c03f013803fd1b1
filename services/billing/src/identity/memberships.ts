import { GatewayError } from "@tollgate/core/errors";
import type { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import type { Implementation } from "@tollgate/rpc/implementation";
import type { PrismaClient } from "../generated/client.ts";
import { acceptInvitation } from "../members/acceptance.ts";
import { findInvitation } from "../members/invitations.ts";
import { toInvitation } from "../members/member-messages.ts";
import { findPerson } from "../members/persons.ts";
import type { FactorPolicy } from "./factor-policy.ts";
import { identityOfSession } from "./identity-messages.ts";
import type { Passwords } from "./passwords.ts";
import { beginSession, extendSession } from "./sessions.ts";

export interface MembershipParts {
  prisma: PrismaClient;
  passwords: Passwords;
  factorPolicy: FactorPolicy;
  now(): Date;
}

/** The calls by which a person joins an account, and chooses one. */
export function implementMemberships({ prisma, passwords, factorPolicy, now }: MembershipParts) {
  return {
    async selectAccount({ sessionHash: hash, accountId }) {
      const sessionHash = new Uint8Array(hash);
      const session = await extendSession(prisma, sessionHash, now());
      const isMember = session?.operator.memberships.some((one) => one.accountId === accountId);
      if (session === undefined || isMember !== true) {
        throw new GatewayError("not_found", `You are a member of no account ${accountId}.`);
      }
      await prisma.operatorSession.updateMany({ where: { sessionHash }, data: { accountId } });
      return { identity: identityOfSession({ ...session, accountId }, factorPolicy) };
    },
    async findInvitation({ secretHash }) {
      const found = await findInvitation(prisma, new Uint8Array(secretHash), now());
      if (found === null) return {};
      const isKnown = (await findPerson(prisma, found.email)) !== null;
      return { invitation: toInvitation(found), accountName: found.account.name, isKnown };
    },
    async acceptInvitation(request) {
      const accepted = await acceptInvitation({ prisma, passwords }, request, now());
      if (accepted === undefined) return {};
      const { person, isNew } = accepted;
      if (!isNew) return { isAccepted: true };
      const sessionHash = new Uint8Array(request.sessionHash);
      const session = { sessionHash, operatorId: person.id, method: "password" } as const;
      const begun = await beginSession(prisma, session, now());
      return { isAccepted: true, identity: identityOfSession(begun, factorPolicy) };
    },
  } satisfies Partial<Implementation<typeof IdentityService>>;
}
