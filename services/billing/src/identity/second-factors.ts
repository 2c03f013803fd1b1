import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { hashOfSecret } from "@tollgate/core/secrets";
import { newCodeText, normalizeCode } from "../codes/code-text.ts";
import type { Prisma, PrismaClient, SecondFactor } from "../generated/client.ts";
import type { Sealer } from "../sealing.ts";
import { newTimeCodeSecret, stepOfTimeCode } from "./time-codes.ts";

type Database = Prisma.TransactionClient;

/** How many recovery codes a person gets. */
const recoveryCodes = 10;
const timeCode = /^\d{6}$/;

export interface SecondFactorParts {
  prisma: PrismaClient;
  /** Encrypts secrets. Undefined where none can be set up. */
  sealer: Sealer | undefined;
}

/** Resolves with whether an operator needs a code to sign in. */
export async function hasSecondFactor(database: Database, operatorId: string): Promise<boolean> {
  const where = { operatorId, enabledAt: { not: null } };
  return (await database.secondFactor.count({ where })) > 0;
}

/**
 * Stores a new secret of an operator, and resolves with it. It is required once `enableFactor` has a code of
 * it. Throws `invalid_param` for an operator who has a second factor.
 */
export async function createFactor(
  { prisma, sealer }: SecondFactorParts,
  operatorId: string,
  now: Date,
): Promise<string> {
  if (sealer === undefined)
    throw new GatewayError("not_found", "TOLLGATE_IDENTITY_KEY is not set.");
  const secret = newTimeCodeSecret();
  const sealed = sealer.seal(secret, contextOf(operatorId));
  const stored = await prisma.$executeRaw`
    INSERT INTO second_factor (operator_id, sealed, created_at) VALUES (${operatorId}, ${sealed}, ${now})
    ON CONFLICT (operator_id) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at
    WHERE second_factor.enabled_at IS NULL`;
  if (stored === 0) {
    throw invalidParam("session_hash", "is of somebody who has a second factor: turn it off first");
  }
  return secret;
}

/**
 * Requires the codes of the secret that was created last, and resolves with new recovery codes; undefined for
 * a wrong code. Call it in a transaction.
 */
export async function enableFactor(
  database: Database,
  sealer: Sealer | undefined,
  operatorId: string,
  code: string,
  now: Date,
): Promise<string[] | undefined> {
  const factor = await database.secondFactor.findUnique({ where: { operatorId } });
  if (factor === null || factor.enabledAt !== null) return undefined;
  const step = stepOfTimeCode(openSecret(sealer, factor), code.replace(/\s/g, ""), now);
  if (step === undefined) return undefined;
  const { count } = await database.secondFactor.updateMany({
    where: { operatorId, enabledAt: null, sealed: factor.sealed },
    data: { enabledAt: now, lastStep: step },
  });
  if (count === 0) return undefined;
  const codes = Array.from({ length: recoveryCodes }, newCodeText);
  const rows = codes.map((text) => ({ operatorId, codeHash: hashOfRecoveryCode(text) }));
  await database.recoveryCode.createMany({ data: rows });
  return codes;
}

/**
 * Uses a code of an operator's second factor, or a recovery code: each is accepted once. Resolves with whether
 * it was accepted.
 */
export async function spendCode(
  database: Database,
  sealer: Sealer | undefined,
  operatorId: string,
  text: string,
  now: Date,
): Promise<boolean> {
  const factor = await database.secondFactor.findUnique({ where: { operatorId } });
  if (factor === null || factor.enabledAt === null) return false;
  const code = text.replace(/\s/g, "");
  if (!timeCode.test(code)) {
    const where = { operatorId, codeHash: hashOfRecoveryCode(text) };
    return (await database.recoveryCode.deleteMany({ where })).count === 1;
  }
  const step = stepOfTimeCode(openSecret(sealer, factor), code, now);
  if (step === undefined) return false;
  // Of two uses at the same time, one finds an older step.
  const where = { operatorId, lastStep: { lt: step } };
  return (await database.secondFactor.updateMany({ where, data: { lastStep: step } })).count === 1;
}

/** Deletes the second factor of an operator and its recovery codes. Resolves with whether there was one. */
export async function deleteFactor(database: Database, operatorId: string): Promise<boolean> {
  return (await database.secondFactor.deleteMany({ where: { operatorId } })).count === 1;
}

function openSecret(sealer: Sealer | undefined, { operatorId, sealed }: SecondFactor): string {
  try {
    if (sealer !== undefined) return sealer.open(sealed, contextOf(operatorId));
  } catch {
    // The key is another one, as below.
  }
  throw invalidParam(
    "code",
    "cannot be checked: TOLLGATE_IDENTITY_KEY has changed. Enter a recovery code",
  );
}

/** So that the secret of one operator is of no use in the row of another. */
function contextOf(operatorId: string): string {
  return `second factor ${operatorId}`;
}

function hashOfRecoveryCode(text: string): Uint8Array<ArrayBuffer> {
  return hashOfSecret(normalizeCode(text));
}
