import { invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import type { Operator, Prisma } from "../generated/client.ts";

type Database = Prisma.TransactionClient;

const maxNameLength = 128;

/** Resolves with the person who signs in by an address and a password; null if there is none. */
export function findPerson(database: Database, email: string): Promise<Operator | null> {
  const key = { issuer: "", subject: subjectOf(email) };
  return database.operator.findUnique({ where: { issuer_subject: key } });
}

/** Creates a person whose address is verified. */
export function createPerson(
  database: Database,
  { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
): Promise<Operator> {
  const subject = subjectOf(email);
  const data = { id: newId("operator"), role: "customer", subject, email, name, passwordHash };
  return database.operator.create({ data });
}

/** Returns the name of a person. Throws `invalid_param` for one that is empty or too long. */
export function readPersonName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= maxNameLength && !/\p{Cc}/u.test(name)) return name;
  throw invalidParam("name", `must have 1 to ${maxNameLength} characters`);
}

/** No local operator has such a subject: its name has no colon. */
function subjectOf(email: string): string {
  return `mail:${email}`;
}
