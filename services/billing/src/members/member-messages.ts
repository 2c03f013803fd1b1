import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Invitation as InvitationMessage,
  InvitationSchema,
  type Member as MemberMessage,
  MemberSchema,
} from "@tollgate/proto/tollgate/v1/member";
import type { Invitation } from "../generated/client.ts";
import { toMemberRole } from "./member-roles.ts";
import type { StoredMember } from "./members.ts";

/** Returns a member as a message. */
export function toMember({ accountId, role, createdAt, person }: StoredMember): MemberMessage {
  const { id: personId, name, email, lastSignedInAt } = person;
  return create(MemberSchema, {
    ...{ personId, accountId, name, email, role: toMemberRole(role) },
    createdAt: timestampFromDate(createdAt),
    ...(lastSignedInAt && { lastSignedInAt: timestampFromDate(lastSignedInAt) }),
  });
}

/** Returns an invitation as a message, without the hash of its secret. */
export function toInvitation(invitation: Invitation): InvitationMessage {
  const { id, accountId, email, role, createdAt, expiresAt } = invitation;
  return create(InvitationSchema, {
    ...{ id, accountId, email, role: toMemberRole(role) },
    createdAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
  });
}

/** Returns a member as the audit log shows it: the role alone, so that it keeps no address. */
export function memberSnapshot({ role }: { role: string }): JsonObject {
  return toJson(MemberSchema, create(MemberSchema, { role: toMemberRole(role) }), {
    useProtoFieldName: true,
  }) as JsonObject;
}
