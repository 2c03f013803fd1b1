import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";

/** The name of each role for people. */
export const roleNames: Readonly<Record<OperatorRole, string>> = {
  [OperatorRole.UNSPECIFIED]: "Unknown",
  [OperatorRole.CUSTOMER]: "Customer",
  [OperatorRole.VIEWER]: "Viewer",
  [OperatorRole.OPERATOR]: "Operator",
  [OperatorRole.OWNER]: "Owner",
};

/** What each role may do. */
export const roleNotes: Readonly<Record<OperatorRole, string>> = {
  [OperatorRole.UNSPECIFIED]: "",
  [OperatorRole.CUSTOMER]: "Sees its own account only, and changes nothing.",
  [OperatorRole.VIEWER]: "Sees everything, and changes nothing.",
  [OperatorRole.OPERATOR]: "Changes accounts, keys, wallets and limits.",
  [OperatorRole.OWNER]: "Also manages operators and their tokens.",
};
