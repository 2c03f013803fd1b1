import { type Member, MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { UsageError } from "../help.ts";
import { type RowRules, rowChooser, wholeListOptions } from "../options/whole-list.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";

/** `tollgate member list` */
export const listMembersCommand: Command = {
  takes: ["ACCOUNT"],
  options: wholeListOptions,
  async run([account = ""], options, operator) {
    const choose = rowChooser(options, listRules);
    const members = choose((await operator().listMembers({ account })).members);
    return {
      lines: members.length === 0 ? ["none"] : members.map(memberLine),
      json: { members: members.map(memberJson) },
    };
  },
};

/** `tollgate member invite` */
export const inviteMemberCommand: Command = {
  takes: ["ACCOUNT", "EMAIL"],
  options: ["role"],
  async run([account = "", email = ""], { role }, operator) {
    const request = { account, email, role: readMemberRole(role) };
    const { invitation, secret } = await operator().inviteMember(request);
    const id = invitation?.id ?? "";
    const path = `/invitation#${secret}`;
    return {
      lines:
        secret === ""
          ? [`invitation ${id}: the link is on its way by mail`]
          : [
              `invitation ${id}: send this path of the console to the address, valid for 7 days`,
              path,
            ],
      json: { id, email, path: secret === "" ? null : path },
    };
  },
};

/** `tollgate member update` */
export const updateMemberCommand: Command = {
  takes: ["ACCOUNT", "PERSON-ID"],
  options: ["role"],
  async run([account = "", personId = ""], { role }, operator) {
    const request = { account, personId, role: readMemberRole(role) };
    const { member } = await operator().updateMember(request);
    return {
      lines: member === undefined ? [] : [memberLine(member)],
      json: member === undefined ? null : memberJson(member),
    };
  },
};

/** `tollgate member remove` */
export const removeMemberCommand: Command = {
  takes: ["ACCOUNT", "PERSON-ID"],
  options: ["revoke-keys"],
  async run([account = "", personId = ""], options, operator) {
    const revokesKeys = options["revoke-keys"] === true;
    await operator().removeMember({ account, personId, revokesKeys });
    return { lines: [`removed ${personId}`], json: { person_id: personId } };
  },
};

/** `tollgate member export` */
export const exportMemberCommand: Command = {
  takes: ["ACCOUNT", "PERSON-ID"],
  options: [],
  async run([account = "", personId = ""], _options, operator) {
    const parts: { acts: unknown[] }[] = [];
    let beforeAct = "";
    do {
      const part = await operator().exportMember({ account, personId, beforeAct });
      parts.push(JSON.parse(part.document));
      beforeAct = part.nextAct;
    } while (beforeAct !== "");
    const json = { ...parts[0], acts: parts.flatMap(({ acts }) => acts) };
    return { lines: [JSON.stringify(json, undefined, 2)], json };
  },
};

/** `tollgate member erase` */
export const eraseMemberCommand: Command = {
  takes: ["PERSON-ID"],
  options: [],
  async run([personId = ""], _options, operator) {
    await operator().erasePerson({ personId });
    return { lines: [`erased ${personId}`], json: { person_id: personId } };
  },
};

const listRules: RowRules<Member> = {
  texts: ({ personId, name, email, role }) => [personId, name, email, roleName(role)],
  orders: {
    name: { text: ({ name }) => name },
    newest: { latest: ({ createdAt }) => createdAt },
    "last-signed-in": { latest: ({ lastSignedInAt }) => lastSignedInAt },
  },
};

const roles: Readonly<Record<string, MemberRole>> = {
  admin: MemberRole.ADMIN,
  developer: MemberRole.DEVELOPER,
  billing: MemberRole.BILLING,
};

function readMemberRole(text: string | undefined): MemberRole {
  const role = Object.hasOwn(roles, text ?? "") ? roles[text ?? ""] : undefined;
  if (role !== undefined) return role;
  throw new UsageError("--role must be admin, developer or billing");
}

function roleName(role: MemberRole): string {
  return (MemberRole[role] ?? "").toLowerCase();
}

function memberLine({ personId, name, email, role }: Member): string {
  return `${personId} ${roleName(role).padEnd(9)} ${email} ${name}`;
}

function memberJson(member: Member) {
  return {
    person_id: member.personId,
    name: member.name,
    email: member.email,
    role: roleName(member.role),
    created_at: isoTime(member.createdAt),
    last_signed_in_at: isoTime(member.lastSignedInAt),
  };
}
