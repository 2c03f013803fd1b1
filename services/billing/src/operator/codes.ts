import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { hashOfSecret } from "@tollgate/core/secrets";
import {
  type CodeBatch,
  CodeBatchSchema,
  type OperatorService,
} from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireOpenAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import { newCodeText, normalizeCode } from "../codes/code-text.ts";
import { redeemCode } from "../codes/redemption.ts";
import { type CreditCodeBatch, Prisma, type PrismaClient } from "../generated/client.ts";
import { findPage, inOrderOf, searching } from "../row-page.ts";
import { pageSize } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxCodes = 10_000;
const maxNameLength = 128;
/** 100,000 USD: a larger amount is a typing error. */
const maxCreditNanoUsd = 100_000n * 1_000_000_000n;

/** The operator's calls about codes that add credit. */
export function implementCodes({ prisma, ledger, actor, now }: OperatorParts) {
  return {
    async createCodes({ name, creditNanoUsd, count, expiresAt: expiry }) {
      const expiresAt = expiry === undefined ? undefined : timestampDate(expiry);
      if (expiresAt === undefined) throw invalidParam("expires_at", "is required");
      requireBatch({ name, creditNanoUsd, count, expiresAt }, now());
      const texts = Array.from({ length: count }, newCodeText);
      const data = { id: newId("batch"), name, creditNanoUsd, expiresAt };
      const batch = await prisma.$transaction(async (transaction) => {
        const created = await transaction.creditCodeBatch.create({ data });
        const codes = texts.map((text) => ({
          id: newId("code"),
          batchId: created.id,
          // A code is stored hashed, as every secret.
          codeHash: hashOfSecret(normalizeCode(text)),
          creditNanoUsd,
          expiresAt,
        }));
        await transaction.creditCode.createMany({ data: codes });
        await recordChange(transaction, actor, {
          action: "CreateCodes",
          ...{ subjectKind: "code", subjectId: created.id },
          after: {
            ...{ name, count, credit_nano_usd: String(creditNanoUsd) },
            expires_at: expiresAt.toISOString(),
          },
        });
        return created;
      });
      return { batch: toBatch(batch, { codes: count, redeemed: 0 }), codes: texts };
    },
    async listCodeBatches({ limit, beforeBatchId, search, order }) {
      const { ids, next = "" } = await findPage(prisma, {
        ...{ table: Prisma.sql`credit_code_batch`, id: Prisma.sql`id`, order },
        ...{ limit: pageSize(limit), before: beforeBatchId, bounds: [] },
        matches: searching(search, [Prisma.sql`name`, Prisma.sql`id`]),
      });
      const found = await prisma.creditCodeBatch.findMany({ where: { id: { in: ids } } });
      const batches = inOrderOf(ids, found, ({ id }) => id);
      const counts = await countCodes(prisma, batches);
      return {
        batches: batches.map((batch) => toBatch(batch, counts.get(batch.id))),
        ...{ hasMore: next !== "", nextBatchId: next },
      };
    },
    async revokeCodes({ batchId: id }) {
      const revokedAt = await revokeBatch({ prisma, actor }, id, now());
      return { revokedAt: timestampFromDate(revokedAt) };
    },
    async redeemCode({ account: name, code: text }) {
      const { id: accountId } = await requireOpenAccount(prisma, name);
      const code = await redeemCode({ prisma, ledger, now }, accountId, text);
      await recordChange(prisma, actor, {
        action: "RedeemCode",
        ...{ subjectKind: "code", subjectId: code.id, accountId, reference: code.id },
        after: { credit_nano_usd: String(code.creditNanoUsd) },
      });
      return { creditNanoUsd: code.creditNanoUsd };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

interface NewBatch {
  name: string;
  creditNanoUsd: bigint;
  count: number;
  expiresAt: Date;
}

function requireBatch({ name, creditNanoUsd, count, expiresAt }: NewBatch, now: Date): void {
  if (name.length > maxNameLength) throw invalidParam("name", "is too long");
  if (count < 1 || count > maxCodes) throw invalidParam("count", `must be from 1 to ${maxCodes}`);
  if (creditNanoUsd === 0n || creditNanoUsd % 1_000n !== 0n || creditNanoUsd > maxCreditNanoUsd) {
    throw invalidParam("credit", "must be more than 0 and at most 100000 USD, with six decimals");
  }
  if (expiresAt <= now) throw invalidParam("expires_at", "must be in the future");
}

interface CodeCounts {
  codes: number;
  redeemed: number;
}

/** Revokes the codes of a batch that are not redeemed. Resolves with the time of the first revocation. */
function revokeBatch(
  { prisma, actor }: Pick<OperatorParts, "prisma" | "actor">,
  id: string,
  at: Date,
): Promise<Date> {
  return prisma.$transaction(async (transaction) => {
    const open = { id, revokedAt: null };
    const data = { revokedAt: at };
    const { count } = await transaction.creditCodeBatch.updateMany({ where: open, data });
    const batch = await transaction.creditCodeBatch.findUnique({ where: { id } });
    if (batch === null) {
      const message = `No codes have the id ${id}.`;
      throw new GatewayError("not_found", message, { param: "batch_id" });
    }
    if (count > 0) {
      const unused = { batchId: id, accountId: null, revokedAt: null };
      await transaction.creditCode.updateMany({ where: unused, data });
      await recordChange(transaction, actor, {
        action: "RevokeCodes",
        ...{ subjectKind: "code", subjectId: id },
        after: { revoked_at: at.toISOString() },
      });
    }
    return batch.revokedAt ?? at;
  });
}

async function countCodes(
  prisma: PrismaClient,
  batches: readonly CreditCodeBatch[],
): Promise<ReadonlyMap<string, CodeCounts>> {
  const groups = await prisma.creditCode.groupBy({
    by: ["batchId"],
    where: { batchId: { in: batches.map(({ id }) => id) } },
    // Of a nullable column, those that are set are counted.
    _count: { id: true, accountId: true },
  });
  return new Map(
    groups.map(({ batchId, _count }) => [
      batchId,
      { codes: _count.id, redeemed: _count.accountId },
    ]),
  );
}

function toBatch(
  { id, name, creditNanoUsd, createdAt, expiresAt, revokedAt }: CreditCodeBatch,
  { codes, redeemed }: CodeCounts = { codes: 0, redeemed: 0 },
): CodeBatch {
  return create(CodeBatchSchema, {
    ...{ id, name, creditNanoUsd, codes, redeemed },
    createdAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
    ...(revokedAt && { revokedAt: timestampFromDate(revokedAt) }),
  });
}
