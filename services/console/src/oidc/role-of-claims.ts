import type { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";

/** A value of the claim of roles, and the role that it gives. */
export interface RoleMapping {
  /** `*` for everybody whom the provider authenticates. */
  value: string;
  role: OperatorRole;
  /** Of a customer: the id or the name of its account. */
  account: string;
}

/**
 * Returns the highest role that the values of a claim give; undefined for none. The claim is a text, or
 * a list of texts.
 */
export function roleOfClaims(
  claim: unknown,
  mappings: readonly RoleMapping[],
): RoleMapping | undefined {
  const values = new Set<unknown>(Array.isArray(claim) ? claim : [claim]);
  return mappings
    .filter(({ value }) => value === "*" || values.has(value))
    .toSorted((one, other) => other.role - one.role)[0];
}
