import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { roleNames, roleNotes } from "../../format/roles.ts";
import { Choice, type FieldReader } from "../../ui/form.tsx";
import { PickerField } from "../../ui/picker-field.tsx";

const roles = [
  OperatorRole.VIEWER,
  OperatorRole.OPERATOR,
  OperatorRole.OWNER,
  OperatorRole.CUSTOMER,
];

/** Chooses a role, and for a customer its account. */
export function RoleFields() {
  const [role, setRole] = useState<OperatorRole>(OperatorRole.VIEWER);
  return (
    <>
      <Choice
        label="Role"
        name="role"
        options={roles.map((one) => [String(one), roleNames[one]] as const)}
        value={String(role)}
        onChange={(event) => setRole(Number(event.target.value))}
        hint={roleNotes[role]}
      />
      {role === OperatorRole.CUSTOMER && (
        <PickerField kind="account" label="Account" name="account" />
      )}
    </>
  );
}

/** Returns the role of a form and its account. */
export function roleOfForm(values: FieldReader): { role: OperatorRole; account: string } {
  return { role: Number(values("role")), account: values("account") };
}
