import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Identity, IdentitySchema } from "@tollgate/proto/tollgate/v1/identity";
import {
  type Operator as OperatorMessage,
  OperatorSchema,
  OperatorTokenSchema,
  type OperatorToken as TokenMessage,
} from "@tollgate/proto/tollgate/v1/operator";
import type { Operator, OperatorToken } from "../generated/client.ts";
import { toRole } from "./roles.ts";
import type { LiveSession } from "./sessions.ts";

/** Returns an operator as a message, without the hash of its password. */
export function toOperator(operator: Operator): OperatorMessage {
  const { id, name, role, accountId, issuer, passwordHash, createdAt } = operator;
  const { disabledAt, lastSignedInAt } = operator;
  return create(OperatorSchema, {
    ...{ id, name, issuer, role: toRole(role), accountId: accountId ?? "" },
    hasPassword: passwordHash !== null,
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

/** Returns who has a session. */
export function identityOfSession({ operator, expiresAt }: LiveSession): Identity {
  return create(IdentitySchema, {
    actor: { kind: "operator", id: operator.id, name: operator.name },
    role: toRole(operator.role),
    accountId: operator.accountId ?? "",
    operator: toOperator(operator),
    expiresAt: timestampFromDate(expiresAt),
  });
}

/** Returns who presents a token. */
export function identityOfToken({ id, name, role, accountId, expiresAt }: OperatorToken): Identity {
  return create(IdentitySchema, {
    actor: { kind: "token", id, name },
    role: toRole(role),
    accountId: accountId ?? "",
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
  });
}
