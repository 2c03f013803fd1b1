import { GatewayError } from "@tollgate/core/errors";
import {
  type ErasePersonRequest,
  type ExportMemberRequest,
  MemberRole,
  type RemoveMemberRequest,
} from "@tollgate/proto/tollgate/v1/member";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireAccount, requireOpenAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import { revokeKeysOf } from "../keys.ts";
import { admitMail } from "../mail/mail-limits.ts";
import { readAddress } from "../members/addresses.ts";
import { erasePerson, eraseTraces } from "../members/erasure.ts";
import { exportPerson } from "../members/export-person.ts";
import { createInvitation, listInvitations, withdrawInvitation } from "../members/invitations.ts";
import { memberSnapshot, toInvitation, toMember } from "../members/member-messages.ts";
import { storedMemberRole } from "../members/member-roles.ts";
import {
  listMembers,
  requireAnAdmin,
  requireFormerMember,
  requireMember,
} from "../members/members.ts";
import { withLockedRow } from "../row-lock.ts";
import { publishKeyChange } from "./key-notice.ts";
import type { OperatorParts } from "./parts.ts";

/** The calls about the members of an account and their invitations. */
export function implementMembers(parts: OperatorParts) {
  const { prisma, actor, mailing, now } = parts;
  return {
    async listMembers({ account }) {
      const { id } = await requireAccount(prisma, account);
      return { members: (await listMembers(prisma, id)).map(toMember) };
    },
    async updateMember({ account, personId, role }) {
      const { id: accountId } = await requireAccount(prisma, account);
      const data = { role: storedMemberRole(role), origin: "invitation" };
      const where = { accountId_personId: { accountId, personId } };
      const after = await withLockedRow(prisma, "account", accountId, async (transaction) => {
        const before = await requireMember(transaction, accountId, personId);
        await transaction.member.update({ where, data });
        await requireAnAdmin(transaction, before);
        await recordChange(transaction, actor, {
          action: "UpdateMember",
          ...{ subjectKind: "member", subjectId: personId, accountId },
          before: memberSnapshot(before),
          after: memberSnapshot(data),
        });
        return { ...before, ...data };
      });
      return { member: toMember(after) };
    },
    removeMember: (request) => removeMember(parts, request),
    exportMember: (request) => exportMember(parts, request),
    erasePerson: (request) => erasePersonById(parts, request),
    async inviteMember({ account, email: text, role }) {
      const { id: accountId, name } = await requireOpenAccount(prisma, account);
      const email = readAddress(text);
      const invited = { accountId, email, role: storedMemberRole(role) };
      const isOperator = actor.memberRole === MemberRole.UNSPECIFIED;
      if (mailing !== undefined) await admitMail(prisma, { to: email, accountId }, now());
      else if (!isOperator) throw noMail();
      const { invitation, secret } = await prisma.$transaction(async (transaction) => {
        const created = await createInvitation(transaction, invited, now());
        const mail = mailing?.texts.invitation(email, name, created.secret);
        if (mail !== undefined) await mailing?.outbox.add(transaction, mail);
        await recordChange(transaction, actor, {
          action: "InviteMember",
          ...{ subjectKind: "invitation", subjectId: created.invitation.id, accountId },
          after: memberSnapshot(invited),
        });
        return created;
      });
      mailing?.outbox.wake();
      return { invitation: toInvitation(invitation), secret: mailing === undefined ? secret : "" };
    },
    async listInvitations({ account }) {
      const { id } = await requireAccount(prisma, account);
      const invitations = await listInvitations(prisma, id, now());
      return { invitations: invitations.map(toInvitation) };
    },
    async withdrawInvitation({ account, invitationId }) {
      const { id: accountId } = await requireAccount(prisma, account);
      await prisma.$transaction(async (transaction) => {
        const { role } = await withdrawInvitation(transaction, accountId, invitationId);
        await recordChange(transaction, actor, {
          action: "WithdrawInvitation",
          ...{ subjectKind: "invitation", subjectId: invitationId, accountId },
          before: memberSnapshot({ role }),
        });
      });
      return {};
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** A member never gets the link, because it confirms an address that the member has chosen. */
function noMail(): GatewayError {
  const message = "The gateway sends no mail: an operator can invite the address.";
  return new GatewayError("invalid_param", message, { param: "email" });
}

async function removeMember(
  { prisma, actor, notices, now }: OperatorParts,
  { account, personId, revokesKeys }: RemoveMemberRequest,
) {
  const { id: accountId } = await requireAccount(prisma, account);
  const where = { accountId_personId: { accountId, personId } };
  const revoked = await withLockedRow(prisma, "account", accountId, async (transaction) => {
    const before = await requireMember(transaction, accountId, personId);
    await transaction.member.delete({ where });
    await requireAnAdmin(transaction, before);
    const owned = { accountId, memberId: personId };
    const hashes = revokesKeys ? await revokeKeysOf(transaction, owned, now()) : [];
    await recordChange(transaction, actor, {
      action: "RemoveMember",
      ...{ subjectKind: "member", subjectId: personId, accountId },
      before: memberSnapshot({ role: before.role }),
    });
    return hashes;
  });
  for (const hash of revoked) publishKeyChange(notices, hash);
  return {};
}

async function exportMember(
  { prisma, actor, now }: OperatorParts,
  { account, personId, beforeAct }: ExportMemberRequest,
) {
  const { id: accountId } = await requireAccount(prisma, account);
  return prisma.$transaction(async (transaction) => {
    await requireMember(transaction, accountId, personId);
    const subject = { subjectKind: "member", subjectId: personId, accountId } as const;
    const change = { action: "ExportMember", ...subject };
    // The parts of one export are one record.
    if (beforeAct === "") await recordChange(transaction, actor, change);
    return exportPerson(transaction, { personId, beforeAct }, now());
  });
}

async function erasePersonById(
  { prisma, actor, sealer, now }: OperatorParts,
  { personId }: ErasePersonRequest,
) {
  // The lock keeps the person from becoming a member meanwhile.
  await withLockedRow(prisma, "operator", personId, async (transaction) => {
    const person = await requireFormerMember(transaction, personId);
    await eraseTraces(transaction, person, sealer);
    await erasePerson(transaction, personId, now());
    const subject = { subjectKind: "member", subjectId: personId } as const;
    await recordChange(transaction, actor, { action: "ErasePerson", ...subject });
  });
  return {};
}
