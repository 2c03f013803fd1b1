import { GatewayError } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { AccountOrder } from "@tollgate/proto/tollgate/v1/operator";
import { admissions } from "./admission.ts";
import { type Account, Prisma, type PrismaClient } from "./generated/client.ts";
import { playgroundChannel } from "./keys.ts";
import { ascending, containing, descending, type ListOrder } from "./list-query.ts";

/** Without control characters and quotation marks, and with nothing first that a spreadsheet runs. */
const namePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+&'’,()/!#:-]{0,127}$/u;

const maxFound = 20;

/** What the name of an account must have. */
export const accountNameRule =
  "must have 1 to 128 letters, digits, spaces and . _ @ + & ' , ( ) / ! # : -, and begin with a letter or digit";

/** Returns whether an account can have a name. */
export function isAccountName(name: string): boolean {
  return namePattern.test(name);
}

/** The fields of a new account. An empty policy is the gateway's; without `maxKeys`, keys have no bound. */
type AccountFields = Pick<Account, "name" | "admission"> & Partial<Pick<Account, "maxKeys">>;

/**
 * Creates an account, or returns the one of that name if its creation was not completed. Throws
 * `invalid_param` if the name is invalid or taken, or the admission policy is unknown. `record` runs
 * in the transaction that creates it.
 */
export async function createAccount(
  prisma: PrismaClient,
  { name, admission, ...bounds }: AccountFields,
  isIncomplete: (accountId: string) => Promise<boolean>,
  record: (
    transaction: Prisma.TransactionClient,
    account: Account,
  ) => Promise<void> = async () => {},
): Promise<Account> {
  if (!isAccountName(name)) {
    const message = `An account's name ${accountNameRule}.`;
    throw new GatewayError("invalid_param", message, { param: "name" });
  }
  requireAdmission(admission);
  try {
    return await prisma.$transaction(async (transaction) => {
      const data = { id: newId("acct"), name, admission, ...bounds };
      const account = await transaction.account.create({ data });
      await record(transaction, account);
      return account;
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const earlier = await prisma.account.findUnique({ where: { name } });
    if (earlier !== null && (await isIncomplete(earlier.id))) {
      return updateAccount(prisma, earlier.id, { admission });
    }
    const message = `An account named ${name} already exists.`;
    throw new GatewayError("invalid_param", message, { param: "name" });
  }
}

/** Changes fields of an account. Throws `invalid_param` for an unknown admission policy. */
export async function updateAccount(
  prisma: Prisma.TransactionClient,
  id: string,
  data: Prisma.AccountUpdateInput & { admission?: string },
): Promise<Account> {
  if (data.admission !== undefined) requireAdmission(data.admission);
  return prisma.account.update({ where: { id }, data });
}

export interface AccountListQuery {
  /** Empty: all accounts. */
  search: string;
  order: AccountOrder;
  /** The last account of the page before. Empty: the first page. */
  beforeAccountId: string;
  limit: number;
}

const orderings: Readonly<Record<AccountOrder, ListOrder>> = {
  // Ids ascend with the time of their creation.
  [AccountOrder.UNSPECIFIED]: { value: Prisma.sql`id`, ...descending },
  [AccountOrder.NAME]: { value: Prisma.sql`lower(name)`, ...ascending },
};

/** Resolves with a page of accounts, each with the number of its active keys. */
export async function listAccounts(
  prisma: PrismaClient,
  query: AccountListQuery,
): Promise<{ accounts: CountedAccount[]; hasMore: boolean }> {
  const { search, order, beforeAccountId, limit } = query;
  const { value, after, direction } = orderings[order];
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM account
    WHERE (${search} = '' OR name ILIKE ${containing(search)} OR id ILIKE ${containing(search)})
      AND (${beforeAccountId} = '' OR (${value}, id) ${after}
        (SELECT ${value}, id FROM account WHERE id = ${beforeAccountId}))
    ORDER BY ${value} ${direction}, id ${direction} LIMIT ${limit + 1}`;
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const found = await prisma.account.findMany({ where: { id: { in: ids } } });
  const byId = new Map(found.map((account) => [account.id, account]));
  const accounts = ids.flatMap((id) => byId.get(id) ?? []);
  const counts = await countActiveKeys(
    prisma,
    accounts.map(({ id }) => id),
  );
  return {
    accounts: accounts.map((one) => ({ ...one, activeKeys: counts.get(one.id) ?? 0 })),
    hasMore: rows.length > limit,
  };
}

/** Resolves with the names of the first 20 accounts, by name, whose name or id contains a text. */
export async function findAccountNames(
  prisma: PrismaClient,
  search: string,
): Promise<Record<string, string>> {
  const found = await prisma.$queryRaw<{ id: string; name: string }[]>`
    SELECT id, name FROM account
    WHERE name ILIKE ${containing(search)} OR id ILIKE ${containing(search)}
    ORDER BY lower(name), id LIMIT ${maxFound}`;
  return Object.fromEntries(found.map(({ id, name }) => [id, name]));
}

export interface CountedAccount extends Account {
  activeKeys: number;
}

/** Resolves with an account and the number of its active keys. Throws `not_found`. */
export async function readAccount(prisma: PrismaClient, idOrName: string): Promise<CountedAccount> {
  const account = await requireAccount(prisma, idOrName);
  const counts = await countActiveKeys(prisma, [account.id]);
  return { ...account, activeKeys: counts.get(account.id) ?? 0 };
}

async function countActiveKeys(
  prisma: PrismaClient,
  accountIds: string[],
): Promise<Map<string, number>> {
  const groups = await prisma.apiKey.groupBy({
    by: ["accountId"],
    where: {
      accountId: { in: accountIds },
      channel: { not: playgroundChannel },
      revokedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
    },
    _count: true,
  });
  return new Map(groups.map(({ accountId, _count }) => [accountId, _count]));
}

function requireAdmission(admission: string): void {
  if (admission === "" || Object.hasOwn(admissions, admission)) return;
  const message = "An account's admission is likely, strict or whole, or empty for the gateway's.";
  throw new GatewayError("invalid_param", message, { param: "admission" });
}

/** Resolves with the account that has the id or the name. Throws `not_found`. */
export async function requireAccount(prisma: PrismaClient, idOrName: string): Promise<Account> {
  const account = await prisma.account.findFirst({
    where: { OR: [{ id: idOrName }, { name: idOrName }] },
  });
  if (account !== null) return account;
  throw new GatewayError("not_found", `No account has the id or name ${idOrName}.`, {
    param: "account",
  });
}

/** Resolves with an account that is not closed. Throws `not_found`, and `invalid_param` for a closed one. */
export async function requireOpenAccount(prisma: PrismaClient, name: string): Promise<Account> {
  const account = await requireAccount(prisma, name);
  if (account.closedAt === null) return account;
  throw new GatewayError("invalid_param", "The account is closed.", { param: "account" });
}

/** Resolves with an account's id. An empty name stands for all accounts, and its id is empty too. */
export async function accountIdOf(prisma: PrismaClient, idOrName: string): Promise<string> {
  return idOrName === "" ? "" : (await requireAccount(prisma, idOrName)).id;
}

/** Resolves with the names of accounts, by their ids. */
export async function nameAccounts(
  prisma: PrismaClient,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const accounts = await prisma.account.findMany({ where: { id: { in: [...ids] } } });
  return new Map(accounts.map(({ id, name }) => [id, name]));
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
}
