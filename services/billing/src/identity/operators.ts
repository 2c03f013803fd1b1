import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { hashOfSecret, newSecret } from "@tollgate/core/secrets";
import { type Operator, Prisma, type SecondFactor } from "../generated/client.ts";
import type { StoredRole } from "./roles.ts";

type Database = Prisma.TransactionClient;

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,127}$/u;
const linkMs = 15 * 60_000;
const ownerName = "owner";

/** Returns the name by which an operator is found: small and capital letters are the same. */
export function normalizeName(name: string): string {
  return name.trim().normalize("NFKC").toLowerCase();
}

/** Creates a local operator. Throws `invalid_param` if its name is invalid or taken. */
export async function createOperator(
  database: Database,
  text: string,
  role: StoredRole,
): Promise<Operator> {
  const name = normalizeName(text);
  if (!namePattern.test(name)) {
    throw invalidParam("name", "must have 1 to 128 letters, digits, spaces and . _ @ + -");
  }
  try {
    const id = newId("operator");
    return await database.operator.create({ data: { id, name, subject: name, ...role } });
  } catch (error) {
    const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
    if (!isTaken) throw error;
    throw invalidParam("name", `must be another: an operator named ${name} already exists`);
  }
}

/** Resolves with the oldest local owner that is not disabled; null if there is none. */
export function findFirstOwner(database: Database): Promise<Operator | null> {
  return database.operator.findFirst({
    where: { role: "owner", issuer: "", disabledAt: null },
    orderBy: { id: "asc" },
  });
}

/** Resolves with a name for a new owner that no operator has. */
export async function unusedOwnerName(database: Database): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? ownerName : `${ownerName}-${number}`;
    const key = { issuer_subject: { issuer: "", subject: name } };
    if ((await database.operator.findUnique({ where: key })) === null) return name;
  }
}

/** Resolves with an operator. Throws `not_found`. */
export async function requireOperator(
  database: Database,
  id: string,
): Promise<Operator & { secondFactor: SecondFactor | null }> {
  const include = { secondFactor: true };
  const operator = await database.operator.findUnique({ where: { id }, include });
  if (operator !== null) return operator;
  throw new GatewayError("not_found", `No operator has the id ${id}.`, { param: "operator_id" });
}

/** Ends the sessions, links and tokens of an operator. */
export async function endCredentials(database: Database, operatorId: string, now: Date) {
  const where = { operatorId };
  await database.operatorSession.deleteMany({ where });
  await database.signInLink.deleteMany({ where });
  const data = { revokedAt: now };
  await database.operatorToken.updateMany({ where: { operatorId, revokedAt: null }, data });
}

/** Creates a sign-in link, by default for 15 minutes. Its secret is returned only here, and not stored. */
export async function createLink(
  database: Database,
  operatorId: string,
  now: Date,
  lastsMs = linkMs,
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = newSecret();
  const expiresAt = new Date(now.getTime() + lastsMs);
  await database.signInLink.deleteMany({ where: { expiresAt: { lte: now } } });
  const secretHash = hashOfSecret(secret);
  await database.signInLink.create({ data: { secretHash, operatorId, expiresAt } });
  return { secret, expiresAt };
}
