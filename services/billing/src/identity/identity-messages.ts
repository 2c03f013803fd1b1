import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Identity, IdentitySchema } from "@tollgate/proto/tollgate/v1/identity";
import { MemberRole, type Membership, MembershipSchema } from "@tollgate/proto/tollgate/v1/member";
import {
  type Operator as OperatorMessage,
  OperatorSchema,
  OperatorTokenSchema,
  type OperatorToken as TokenMessage,
} from "@tollgate/proto/tollgate/v1/operator";
import type { Operator, OperatorToken, SecondFactor } from "../generated/client.ts";
import { toMemberRole } from "../members/member-roles.ts";
import { type FactorPolicy, mustSetUpFactor } from "./factor-policy.ts";
import { toRole } from "./roles.ts";
import type { LiveSession, StoredMembership } from "./sessions.ts";

/**
 * Returns an operator as a message, without the hash of its password. It has no second factor unless it was
 * read with the row.
 */
export function toOperator(
  operator: Operator & { secondFactor?: Pick<SecondFactor, "enabledAt"> | null },
): OperatorMessage {
  const { id, name, role, accountId, issuer, email, passwordHash, createdAt } = operator;
  const { disabledAt, lastSignedInAt } = operator;
  return create(OperatorSchema, {
    ...{ id, name, issuer, email, role: toRole(role), accountId: accountId ?? "" },
    hasPassword: passwordHash !== null,
    hasSecondFactor: (operator.secondFactor?.enabledAt ?? null) !== null,
    createdAt: timestampFromDate(createdAt),
    ...(disabledAt && { disabledAt: timestampFromDate(disabledAt) }),
    ...(lastSignedInAt && { lastSignedInAt: timestampFromDate(lastSignedInAt) }),
  });
}

/** Returns a token as a message, without its hash. */
export function toToken(token: OperatorToken): TokenMessage {
  const { id, name, role, accountId, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  return create(OperatorTokenSchema, {
    ...{ id, name, role: toRole(role), accountId: accountId ?? "" },
    createdAt: timestampFromDate(createdAt),
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
    ...(revokedAt && { revokedAt: timestampFromDate(revokedAt) }),
    ...(lastUsedAt && { lastUsedAt: timestampFromDate(lastUsedAt) }),
  });
}

/** Returns who has a session, and whether they must set up a second factor first. */
export function identityOfSession(session: LiveSession, policy: FactorPolicy): Identity {
  const { operator, expiresAt } = session;
  const { id, name } = operator;
  const shared = {
    role: toRole(operator.role),
    operator: toOperator(operator),
    expiresAt: timestampFromDate(expiresAt),
    mustSetUpFactor: mustSetUpFactor(session, policy),
  };
  if (operator.role !== "customer" || operator.accountId !== null) {
    const accountId = operator.accountId ?? "";
    const actor = { kind: "operator", id, name, accountId };
    return create(IdentitySchema, { ...shared, actor, accountId });
  }
  const memberships = operator.memberships.map(toMembership);
  const chosen = memberships.find(({ accountId }) => accountId === session.accountId);
  const { accountId = "", role = MemberRole.UNSPECIFIED } = chosen ?? memberships[0] ?? {};
  const place = { accountId, memberRole: role };
  const actor = { kind: "member", id, name, ...place };
  return create(IdentitySchema, { ...shared, actor, memberships, ...place });
}

function toMembership({ account, role }: StoredMembership): Membership {
  const { id: accountId, name: accountName } = account;
  return create(MembershipSchema, { accountId, accountName, role: toMemberRole(role) });
}

/** Returns who presents a token. */
export function identityOfToken({ id, name, role, accountId, expiresAt }: OperatorToken): Identity {
  const account = accountId ?? "";
  return create(IdentitySchema, {
    actor: { kind: "token", id, name, accountId: account },
    role: toRole(role),
    accountId: account,
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
  });
}
