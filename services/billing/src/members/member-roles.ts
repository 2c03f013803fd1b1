import { invalidParam } from "@tollgate/core/errors";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";

const names: Readonly<Partial<Record<MemberRole, string>>> = {
  [MemberRole.DEVELOPER]: "developer",
  [MemberRole.BILLING]: "billing",
  [MemberRole.ADMIN]: "admin",
};

/** Returns a member's role as it is stored. Throws `invalid_param` for an unknown one. */
export function storedMemberRole(role: MemberRole): string {
  const name = names[role];
  if (name !== undefined) return name;
  throw invalidParam("role", "must be developer, billing or admin");
}

/** Returns the message's role of a stored one. */
export function toMemberRole(stored: string): MemberRole {
  const found = Object.entries(names).find(([, name]) => name === stored);
  return Number(found?.[0] ?? MemberRole.UNSPECIFIED);
}
