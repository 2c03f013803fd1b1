import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { useState } from "react";
import { memberRoleNames, memberRoleNotes } from "../../format/member-roles.ts";
import { Choice } from "../../ui/form.tsx";

/** The roles that a member can have. */
export const memberRoles = [MemberRole.DEVELOPER, MemberRole.BILLING, MemberRole.ADMIN];

/** Chooses the role of a member, by the name `role`. */
export function RoleChoice() {
  const [role, setRole] = useState<MemberRole>(MemberRole.DEVELOPER);
  return (
    <Choice
      label="Role"
      name="role"
      options={memberRoles.map((one) => [String(one), memberRoleNames[one]] as const)}
      value={String(role)}
      onChange={(event) => setRole(Number(event.target.value))}
      hint={memberRoleNotes[role]}
    />
  );
}
