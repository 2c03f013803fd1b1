import { createHash } from "node:crypto";
import { GatewayError } from "@tollgate/core/errors";
import type { PrismaClient } from "../generated/client.ts";
import { networkOf } from "../mail/network.ts";

/** How many sign-ins may fail within `windowMs`, by a name and an address together. */
const maxByNameAndAddress = 5;
/** The same by an address alone: several people may share it. */
const maxByAddress = 50;
/** The same by a name alone: high, so that a stranger does not easily lock somebody out. */
const maxByName = 200;
const windowMs = 15 * 60_000;
/**
 * The wrong codes of a second factor that one person may enter: 20 of a million, of which three are valid.
 * Only a sign-in with the right password asks for a code.
 */
export const maxCodesByPerson = 20;

interface SignInAttempt {
  name: string;
  /** The network address of the client. */
  address: string;
  /** How many sign-ins may fail by this name alone. */
  maxByName?: number;
}

/**
 * Counts a sign-in as failed before it is checked, so that attempts at the same time cannot exceed
 * the limit. Resolves with a function to call once it has succeeded. Throws `rate_limited`.
 */
export async function admitSignIn(
  prisma: PrismaClient,
  { name, address: clientAddress, maxByName: maxOfName = maxByName }: SignInAttempt,
  now: Date,
): Promise<() => Promise<void>> {
  const address = networkOf(clientAddress);
  const limits = new Map([
    [subjectOf(name, address), maxByNameAndAddress],
    [subjectOf("", address), maxByAddress],
    [subjectOf(name, ""), maxOfName],
  ]);
  const windowStart = new Date(now.getTime() - windowMs);
  await prisma.signInFailure.deleteMany({ where: { since: { lte: windowStart } } });
  // In one order, so that two attempts at the same time cannot wait for each other.
  const subjects = [...limits.keys()].sort();
  const counted = await prisma.$queryRaw<{ subject: string; failures: number; since: Date }[]>`
    INSERT INTO sign_in_failure (subject, failures, since)
    SELECT subject, 1, ${now} FROM unnest(${subjects}::text[]) AS subject
    ON CONFLICT (subject) DO UPDATE SET failures = sign_in_failure.failures + 1
    RETURNING subject, failures, since`;
  const exceeded = counted.find(({ subject, failures }) => failures > (limits.get(subject) ?? 0));
  if (exceeded !== undefined) {
    const waitMs = exceeded.since.getTime() + windowMs - now.getTime();
    const message = "Too many sign-ins have failed. Wait some minutes.";
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    throw new GatewayError("rate_limited", message, { retryAfterSeconds });
  }
  return async () => {
    await prisma.signInFailure.deleteMany({ where: { subject: subjectOf(name, address) } });
    await prisma.signInFailure.updateMany({
      where: { subject: { in: subjects }, failures: { gt: 0 } },
      data: { failures: { decrement: 1 } },
    });
  };
}

/** A hash, so that a password typed as a name is not stored. */
function subjectOf(name: string, address: string): string {
  return createHash("sha256")
    .update(JSON.stringify([name, address]))
    .digest("base64url");
}
