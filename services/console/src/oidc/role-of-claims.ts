import type { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import type { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";

/** A value of the claim of roles, and the role that it gives. */
export interface RoleMapping {
  /**
   * `*` for everybody whom the provider authenticates; `@acme.com` for those whose verified address is at
   * that host.
   */
  value: string;
  role: OperatorRole;
  /** Of a customer or a member: the id or the name of the account. */
  account: string;
  /** Of a member. */
  memberRole?: MemberRole;
}

/** The mappings that apply to a person: one role of an operator or a customer, or else memberships. */
export interface GivenRoles {
  mapping: RoleMapping | undefined;
  memberships: readonly RoleMapping[];
}

/**
 * Returns the highest role that the values of a claim and the verified address give, and the memberships
 * where they give no such role. The claim is a text, or a list of texts.
 */
export function rolesOfClaims(
  claim: unknown,
  email: string,
  mappings: readonly RoleMapping[],
): GivenRoles {
  const values = new Set<unknown>(Array.isArray(claim) ? claim : [claim]);
  const host = email.slice(email.lastIndexOf("@"));
  const isGiven = ({ value }: RoleMapping) =>
    value.startsWith("@") ? value === host : value === "*" || values.has(value);
  const given = mappings.filter(isGiven).toSorted((one, other) => other.role - one.role);
  const mapping = given.find(({ memberRole }) => memberRole === undefined);
  const memberships = given.filter(({ memberRole }) => memberRole !== undefined);
  return { mapping, memberships: mapping === undefined ? memberships : [] };
}

/** Returns the address that a provider has verified, in small letters; empty for none. */
export function verifiedEmailOf(claims: Readonly<Record<string, unknown>>): string {
  const { email, email_verified: isVerified } = claims;
  return typeof email === "string" && isVerified === true ? email.toLowerCase() : "";
}
