import { GatewayError } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { Prisma, type PrismaClient } from "./generated/client.ts";

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,127}$/u;

export interface AccountRow {
  id: string;
  name: string;
}

/**
 * Makes an account, or takes one of that name up again that is only half made. Raises
 * `invalid_param` for a name that is taken or cannot be one.
 */
export async function createAccount(
  prisma: PrismaClient,
  name: string,
  isHalfMade: (accountId: string) => Promise<boolean>,
): Promise<AccountRow> {
  if (!namePattern.test(name)) {
    const message = "An account's name has 1 to 128 letters, digits, spaces and . _ @ + -";
    throw new GatewayError("invalid_param", message, { param: "name" });
  }
  try {
    return await prisma.account.create({ data: { id: newId("acct"), name } });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const earlier = await prisma.account.findUnique({ where: { name } });
    if (earlier !== null && (await isHalfMade(earlier.id))) return earlier;
    const message = `An account is called ${name} already.`;
    throw new GatewayError("invalid_param", message, { param: "name" });
  }
}

/** The account of that id or that name. Raises `not_found`. */
export async function requireAccount(prisma: PrismaClient, idOrName: string): Promise<AccountRow> {
  const account = await prisma.account.findFirst({
    where: { OR: [{ id: idOrName }, { name: idOrName }] },
  });
  if (account !== null) return account;
  throw new GatewayError("not_found", `No account is called ${idOrName}.`, { param: "account" });
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
}
