import { GatewayError } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { admissions } from "./admission.ts";
import { Prisma, type PrismaClient } from "./generated/client.ts";

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,127}$/u;

export interface AccountRow {
  id: string;
  name: string;
  /** The admission policy; empty for the gateway's. */
  admission: string;
}

/** The fields of an account that the operator chooses. */
type AccountFields = Omit<AccountRow, "id">;

/**
 * Creates an account, or returns the one of that name if its creation was not completed. Throws
 * `invalid_param` if the name is invalid or taken, or the admission policy is unknown.
 */
export async function createAccount(
  prisma: PrismaClient,
  { name, admission }: AccountFields,
  isIncomplete: (accountId: string) => Promise<boolean>,
): Promise<AccountRow> {
  if (!namePattern.test(name)) {
    const message = "An account's name has 1 to 128 letters, digits, spaces and . _ @ + -";
    throw new GatewayError("invalid_param", message, { param: "name" });
  }
  requireAdmission(admission);
  try {
    return await prisma.account.create({ data: { id: newId("acct"), name, admission } });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const earlier = await prisma.account.findUnique({ where: { name } });
    if (earlier !== null && (await isIncomplete(earlier.id))) {
      return updateAccount(prisma, earlier, admission);
    }
    const message = `An account named ${name} already exists.`;
    throw new GatewayError("invalid_param", message, { param: "name" });
  }
}

/** Sets the admission policy of an account. Throws `invalid_param` for an unknown one. */
export async function updateAccount(
  prisma: PrismaClient,
  { id }: Pick<AccountRow, "id">,
  admission: string,
): Promise<AccountRow> {
  requireAdmission(admission);
  return prisma.account.update({ where: { id }, data: { admission } });
}

function requireAdmission(admission: string): void {
  if (admission === "" || Object.hasOwn(admissions, admission)) return;
  const message = "An account's admission is likely, strict or whole, or empty for the gateway's.";
  throw new GatewayError("invalid_param", message, { param: "admission" });
}

/** Resolves with the account that has the id or the name. Throws `not_found`. */
export async function requireAccount(prisma: PrismaClient, idOrName: string): Promise<AccountRow> {
  const account = await prisma.account.findFirst({
    where: { OR: [{ id: idOrName }, { name: idOrName }] },
  });
  if (account !== null) return account;
  throw new GatewayError("not_found", `No account has the id or name ${idOrName}.`, {
    param: "account",
  });
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
}
