import { toJson } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { hashOfSecret } from "@tollgate/core/secrets";
import { type OperatorService, OperatorTokenSchema } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { recordChange } from "../audit.ts";
import type { OperatorToken } from "../generated/client.ts";
import { toToken } from "../identity/identity-messages.ts";
import { readRole } from "../identity/roles.ts";
import { newTokenText } from "../identity/token-text.ts";
import { checkPolicy } from "../key-policy.ts";
import type { OperatorParts } from "./parts.ts";

const maxTokens = 1_000;

/** The operator's calls about the tokens of programs. */
export function implementTokens({ prisma, actor, now }: OperatorParts) {
  return {
    async createOperatorToken({ name, role, account, expiresAt: expiry }) {
      const expiresAt = expiry === undefined ? null : timestampDate(expiry);
      checkPolicy({ name, expiresAt }, now());
      if (name.trim() === "") throw invalidParam("name", "is required");
      const stored = await readRole(prisma, role, account);
      const text = newTokenText();
      const operatorId = await creatorOf(prisma, actor);
      const tokenHash = hashOfSecret(text);
      const data = { id: newId("token"), tokenHash, name, expiresAt, operatorId, ...stored };
      const token = await prisma.$transaction(async (transaction) => {
        const created = await transaction.operatorToken.create({ data });
        await recordChange(transaction, actor, {
          action: "CreateOperatorToken",
          ...subjectOf(created),
          after: snapshot(created),
        });
        return created;
      });
      return { token: toToken(token), text };
    },
    async listOperatorTokens() {
      const tokens = await prisma.operatorToken.findMany({
        orderBy: { id: "desc" },
        take: maxTokens,
      });
      return { tokens: tokens.map(toToken) };
    },
    async revokeOperatorToken({ tokenId: id }) {
      const revokedAt = await prisma.$transaction(async (transaction) => {
        const data = { revokedAt: now() };
        const { count } = await transaction.operatorToken.updateMany({
          where: { id, revokedAt: null },
          data,
        });
        const token = await transaction.operatorToken.findUnique({ where: { id } });
        if (token === null) {
          const message = `No operator token has the id ${id}.`;
          throw new GatewayError("not_found", message, { param: "token_id" });
        }
        if (count > 0) {
          await recordChange(transaction, actor, {
            action: "RevokeOperatorToken",
            ...subjectOf(token),
            before: snapshot({ ...token, revokedAt: null }),
            after: snapshot(token),
          });
        }
        return token.revokedAt ?? data.revokedAt;
      });
      return { revokedAt: timestampFromDate(revokedAt) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** Resolves with the operator whose disabling revokes a token that `actor` creates. */
async function creatorOf(
  prisma: OperatorParts["prisma"],
  { kind, id }: OperatorParts["actor"],
): Promise<string | null> {
  if (kind === "operator") return id;
  if (kind === "local") return null;
  const token = await prisma.operatorToken.findUnique({ where: { id } });
  return token?.operatorId ?? null;
}

function subjectOf({ id, accountId }: OperatorToken) {
  return { subjectKind: "token", subjectId: id, accountId: accountId ?? "" } as const;
}

function snapshot(token: OperatorToken) {
  const message = toToken({ ...token, lastUsedAt: null });
  return toJson(OperatorTokenSchema, message, { useProtoFieldName: true }) as Record<
    string,
    string
  >;
}
