import { MemberRole } from "@tollgate/proto/tollgate/v1/member";

/** The name of each role of a member for people. */
export const memberRoleNames: Readonly<Record<MemberRole, string>> = {
  [MemberRole.UNSPECIFIED]: "Unknown",
  [MemberRole.DEVELOPER]: "Developer",
  [MemberRole.BILLING]: "Billing",
  [MemberRole.ADMIN]: "Admin",
};

/** What each role may do. */
export const memberRoleNotes: Readonly<Record<MemberRole, string>> = {
  [MemberRole.UNSPECIFIED]: "",
  [MemberRole.DEVELOPER]: "Has own keys, and sees the usage of the account.",
  [MemberRole.BILLING]: "Sees the wallet and its ledger, and pays. Sees no keys.",
  [MemberRole.ADMIN]: "Also manages all keys, the members and the invitations.",
};
