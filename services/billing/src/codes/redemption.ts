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

/** How often an account may enter a code that is none, within `windowMs`. */
const maxFailures = 10;
const windowMs = 60 * 60_000;

/**
 * Credits a code to an account: each code once, and one code of a batch to each account. The same account may
 * repeat the call, which then adds what a process that died did not add. Throws `not_found` for a code that
 * does not exist, or can be redeemed no more, without saying which; `invalid_param` for a second code of a
 * batch; and `rate_limited` for an account that guesses.
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

/** Counts an attempt as failed before it is checked, so that attempts at the same time cannot exceed it. */
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
 * Gives a code to an account, in one statement, so that of several at the same time one has it. Resolves with
 * the code also where the account has it already; undefined where it can be redeemed no more.
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
