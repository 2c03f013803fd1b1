import { GatewayError } from "@tollgate/core/errors";
import { hashOfSecret } from "@tollgate/core/secrets";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import { type CreditCode, Prisma, type PrismaClient } from "../generated/client.ts";
import { normalizeCode } from "./code-text.ts";

export interface RedemptionParts {
  prisma: PrismaClient;
  ledger: Client<typeof LedgerService>;
  now(): Date;
}

/** How many codes that are not valid an account may enter within `windowMs`. */
const maxFailures = 10;
const windowMs = 60 * 60_000;

/**
 * Credits the amount of a code to an account: each code once, and one code of a batch to each account. The same
 * account may repeat the call after a failure; the amount is then added if it was not. Throws `not_found` for a
 * code that does not exist or can no longer be redeemed, and the message does not say which; `invalid_param` for
 * a second code of a batch; and `rate_limited` after too many codes that are not valid.
 */
export async function redeemCode(
  parts: RedemptionParts,
  accountId: string,
  text: string,
): Promise<CreditCode> {
  const { prisma, ledger, now } = parts;
  await countAttempt(parts, accountId);
  const codeHash = hashOfSecret(normalizeCode(text));
  const code = await claimCode(prisma, codeHash, accountId, now());
  if (code === undefined) {
    throw new GatewayError("not_found", "This code does not exist, or can be redeemed no more.", {
      param: "code",
    });
  }
  await prisma.codeFailure.deleteMany({ where: { accountId } });
  const { creditNanoUsd: amountNanoUsd } = code;
  await ledger.topUp({ accountId, amountNanoUsd, reference: `code:${code.id}` });
  return code;
}

/** Counts an attempt as failed before its code is checked, so that concurrent attempts cannot exceed the limit. */
async function countAttempt({ prisma, now }: RedemptionParts, accountId: string): Promise<void> {
  const at = now();
  const windowStart = new Date(at.getTime() - windowMs);
  await prisma.codeFailure.deleteMany({ where: { since: { lte: windowStart } } });
  const [counted] = await prisma.$queryRaw<{ failures: number; since: Date }[]>`
    INSERT INTO code_failure (account_id, failures, since) VALUES (${accountId}, 1, ${at})
    ON CONFLICT (account_id) DO UPDATE SET failures = code_failure.failures + 1
    RETURNING failures, since`;
  if (counted === undefined || counted.failures <= maxFailures) return;
  const waitMs = counted.since.getTime() + windowMs - at.getTime();
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = "Too many codes were not valid. Wait an hour.";
  throw new GatewayError("rate_limited", message, { retryAfterSeconds });
}

/**
 * Marks a code as redeemed by an account, in one statement, so that one of several concurrent calls succeeds.
 * Resolves with the code, also if the account redeemed it before; with undefined if it cannot be redeemed.
 */
async function claimCode(
  prisma: PrismaClient,
  codeHash: Uint8Array<ArrayBuffer>,
  accountId: string,
  now: Date,
): Promise<CreditCode | undefined> {
  const where = { codeHash, accountId: null, revokedAt: null, expiresAt: { gt: now } };
  try {
    await prisma.creditCode.updateMany({ where, data: { accountId, redeemedAt: now } });
  } catch (error) {
    // The index credit_code_batch_account.
    if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== "P2002")
      throw error;
    const message = "The account has redeemed another code of this kind already.";
    throw new GatewayError("invalid_param", message, { param: "code" });
  }
  const code = await prisma.creditCode.findUnique({ where: { codeHash } });
  return code?.accountId === accountId ? code : undefined;
}
