import { invalidParam } from "@tollgate/core/errors";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { requireAccount } from "../accounts.ts";
import type { PrismaClient } from "../generated/client.ts";

const names: Readonly<Partial<Record<OperatorRole, string>>> = {
  [OperatorRole.CUSTOMER]: "customer",
  [OperatorRole.VIEWER]: "viewer",
  [OperatorRole.OPERATOR]: "operator",
  [OperatorRole.OWNER]: "owner",
};

/** A role as it is stored, and the account of a customer. */
export interface StoredRole {
  role: string;
  accountId: string | null;
}

/**
 * Resolves with a role and the account that a customer must have. Throws `invalid_param` where the
 * two do not fit, and `not_found` for an unknown account.
 */
export async function readRole(
  prisma: PrismaClient,
  role: OperatorRole,
  account: string,
): Promise<StoredRole> {
  const name = names[role];
  if (name === undefined) {
    throw invalidParam("role", "must be customer, viewer, operator or owner");
  }
  if (role !== OperatorRole.CUSTOMER) {
    if (account === "") return { role: name, accountId: null };
    throw invalidParam("account", "must be empty, except for the role customer");
  }
  if (account === "") throw invalidParam("account", "is required for the role customer");
  return { role: name, accountId: (await requireAccount(prisma, account)).id };
}

/** Returns the message's role of a stored one. */
export function toRole(stored: string): OperatorRole {
  const found = Object.entries(names).find(([, name]) => name === stored);
  return Number(found?.[0] ?? OperatorRole.UNSPECIFIED);
}
