import { gunzipSync } from "node:zlib";
import { create, fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { SealError, type SecretsKey } from "@tollgate/core/secrets-key";
import { RequestContentSchema, StoredContentSchema } from "@tollgate/proto/tollgate/v1/content";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf, requireAccount, requireOpenAccount, updateAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import { contentName, requireContentKey } from "../contents/content-key.ts";
import type { PrismaClient, RequestContent } from "../generated/client.ts";
import { withLockedRow } from "../row-lock.ts";
import { toAccount } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxDays = 365;
const dayMs = 86_400_000;

/** The calls about prompts and responses that an account stores. */
export function implementContents(parts: OperatorParts) {
  const { prisma, contentKey, contentDeletion, notices, actor } = parts;
  return {
    async updateContentDays({ account: name, days }) {
      if (days > maxDays) throw invalidParam("days", `must be at most ${maxDays}`);
      if (days > 0) requireContentKey(contentKey);
      const { id } = await (days > 0 ? requireOpenAccount : requireAccount)(prisma, name);
      const account = await withLockedRow(prisma, "account", id, async (transaction) => {
        const before = await transaction.account.findUniqueOrThrow({ where: { id } });
        const after = await updateAccount(transaction, id, { contentDays: days || null });
        await recordChange(transaction, actor, {
          action: "UpdateContentDays",
          ...{ subjectKind: "account", subjectId: id, accountId: id },
          before: { content_days: before.contentDays ?? 0 },
          after: { content_days: days },
        });
        return after;
      });
      notices.publish("account.changed", id);
      contentDeletion.wake();
      return { account: toAccount(account) };
    },
    async viewRequestContent({ requestId, account }) {
      const { row, days } = await requireContent(parts, requestId, account);
      const content = open(requireContentKey(contentKey), row);
      // Before the content is returned, so that no view is without its record.
      await recordChange(prisma, actor, {
        action: "ViewRequestContent",
        ...{ subjectKind: "request", subjectId: requestId, accountId: row.accountId },
      });
      return {
        content: create(StoredContentSchema, {
          requestId,
          request: textOf(content.request),
          response: textOf(content.response),
          isRequestCut: content.isRequestCut,
          isResponseCut: content.isResponseCut,
          storedAt: timestampFromDate(row.storedAt),
          expiresAt: timestampFromDate(new Date(row.storedAt.getTime() + days * dayMs)),
        }),
      };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/**
 * Resolves with the stored content of a request. Throws `not_found`, also for content that is about to be
 * deleted because its account does not store it any more.
 */
async function requireContent(
  { prisma, now }: { prisma: PrismaClient; now(): Date },
  requestId: string,
  account: string,
): Promise<{ row: RequestContent; days: number }> {
  const accountId = await accountIdOf(prisma, account);
  const row = await prisma.requestContent.findUnique({ where: { requestId } });
  const isOfAccount = accountId === "" || row?.accountId === accountId;
  if (row !== null && isOfAccount) {
    const { contentDays, closedAt } = await prisma.account.findUniqueOrThrow({
      where: { id: row.accountId },
    });
    const days = closedAt === null ? (contentDays ?? 0) : 0;
    const isStored = days > 0 && row.storedAt.getTime() + days * dayMs > now().getTime();
    if (isStored) return { row, days };
  }
  throw new GatewayError("not_found", `No content of the request ${requestId} is stored.`);
}

function open(key: SecretsKey, { requestId, accountId, ...sealed }: RequestContent) {
  try {
    const bytes = key.openBytes(contentName(requestId, accountId), sealed);
    return fromBinary(RequestContentSchema, bytes);
  } catch (error) {
    if (error instanceof SealError) throw new GatewayError("invalid_param", `${error.message}.`);
    throw error;
  }
}

function textOf(gzip: Uint8Array): string {
  return gzip.byteLength === 0
    ? ""
    : gunzipSync(gzip, { maxOutputLength: 4 * 1024 * 1024 }).toString();
}
