import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { maxBalanceNanoUsd } from "@tollgate/core/money";
import type {
  CreateAccountRequest,
  OperatorService,
  UpdateAccountRequest,
} from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import {
  type CountedAccount,
  createAccount,
  findAccountNames,
  listAccounts,
  nameAccounts,
  readAccount,
  requireAccount,
  updateAccount,
} from "../accounts.ts";
import { recordChange } from "../audit.ts";
import { storedKeyBounds } from "../key-bounds.ts";
import { changeLimits, findLimits, hasLimits } from "../limits.ts";
import { requirePlan } from "../plans.ts";
import { withLockedRow } from "../row-lock.ts";
import { pageSize, accountSnapshot as snapshot, toAccount } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxNames = 1_000;
const openingReference = "opening-credit";

/** The operator's calls about accounts. */
export function implementAccounts(parts: OperatorParts) {
  const { prisma, ledger, conversations } = parts;

  async function summaryOf(account: CountedAccount) {
    const { id: accountId, activeKeys } = account;
    const [{ wallet }, limits] = await Promise.all([
      ledger.getWallet({ accountId }),
      findLimits(ledger, [accountId]),
    ]);
    const side = { limits: limits.get(accountId), timeZone: wallet?.timeZone };
    const message = toAccount(account, side);
    return { account: message, activeKeys, ...(wallet && { wallet }) };
  }

  return {
    createAccount: (request) => openAccount(parts, request),
    updateAccount: (request) => changeAccount(parts, request),
    async listAccounts({ limit, beforeAccountId, search, order }) {
      const page = { limit: pageSize(limit), beforeAccountId, search: search.trim(), order };
      const { accounts, hasMore } = await listAccounts(prisma, page);
      return { accounts: await Promise.all(accounts.map(summaryOf)), hasMore };
    },
    async listAccountNames({ accountIds, search }) {
      if (accountIds.length === 0) {
        return { names: await findAccountNames(prisma, search.trim()) };
      }
      if (accountIds.length > maxNames) {
        throw invalidParam("account_ids", `must have at most ${maxNames} members`);
      }
      return { names: Object.fromEntries(await nameAccounts(prisma, accountIds)) };
    },
    async getAccount({ account }) {
      return { account: await summaryOf(await readAccount(prisma, account)) };
    },
    async countAccountConversations({ account }) {
      const { id: accountId } = await requireAccount(prisma, account);
      const keys = await prisma.apiKey.findMany({ where: { accountId }, select: { id: true } });
      const keyIds = keys.map(({ id }) => id);
      const { conversations: count } = await conversations.countConversations({ keyIds });
      return { conversations: count };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** Creates an account with its wallet, its limits and its opening credit. */
async function openAccount(
  { prisma, ledger, actor }: OperatorParts,
  { name, creditNanoUsd, admission, limits }: CreateAccountRequest,
) {
  /** Whether an account's row was written without its wallet, so that it can be created again. */
  const isIncomplete = async (accountId: string) =>
    (await ledger.getWallet({ accountId })).wallet === undefined;
  if (creditNanoUsd > maxBalanceNanoUsd || creditNanoUsd % 1_000n !== 0n) {
    const message = "A credit has at most six decimals, and fits a wallet.";
    throw new GatewayError("invalid_param", message, { param: "credit" });
  }
  const account = await createAccount(
    prisma,
    { name, admission },
    isIncomplete,
    (transaction, created) => {
      const after = {
        ...snapshot(created, { limits }),
        credit_nano_usd: String(creditNanoUsd),
      };
      return recordChange(transaction, actor, {
        action: "CreateAccount",
        ...subjectOf(created.id),
        after,
      });
    },
  );
  const accountId = account.id;
  const isLimited = hasLimits(limits);
  // Limits of an earlier attempt may be there. The account is used only once it has a key.
  if (isLimited || account.isLimited) {
    await updateAccount(prisma, accountId, { isLimited });
    await ledger.setLimits({ accountId, ownerId: accountId, limits: limits ?? {} });
  }
  const opening = { accountId, amountNanoUsd: creditNanoUsd, reference: openingReference };
  const { wallet } = await ledger.topUp(opening);
  const found = await findLimits(ledger, hasLimits(limits) ? [accountId] : []);
  const side = { limits: found.get(accountId), timeZone: wallet?.timeZone };
  return { account: toAccount(account, side), ...(wallet && { wallet }) };
}

/**
 * Changes the admission policy, the plan, the limits, the time zone and the bounds of an account, or
 * freezes it.
 */
async function changeAccount(
  { prisma, ledger, notices, actor, catalog, now }: OperatorParts,
  { account: name, limits: changes, isFrozen, keyBounds, ...request }: UpdateAccountRequest,
) {
  const { admission, plan, timeZone } = request;
  if (plan !== undefined) requirePlan(catalog(), plan);
  const { id } = await requireAccount(prisma, name);
  const bounds = keyBounds && storedKeyBounds(keyBounds);
  // Before the ledger has them: the flag is false only without limits.
  if (hasLimits(changes?.set)) await updateAccount(prisma, id, { isLimited: true });
  const fields = {
    ...(admission === undefined ? {} : { admission }),
    ...(plan === undefined ? {} : { plan }),
  };
  const changed = await withLockedRow(prisma, "account", id, async (transaction) => {
    const before = await transaction.account.findUniqueOrThrow({ where: { id } });
    const owner = { accountId: id, ownerId: id };
    const zoneBefore = (await ledger.getWallet({ accountId: id })).wallet?.timeZone;
    if (timeZone !== undefined) await ledger.setTimeZone({ accountId: id, timeZone });
    const limits = changes && (await changeLimits(ledger, owner, changes));
    const limited = limits && { isLimited: hasLimits(limits.after) };
    const frozen = isFrozen !== undefined && {
      frozenAt: isFrozen ? (before.frozenAt ?? now()) : null,
    };
    const data = { ...fields, ...limited, ...bounds, ...frozen };
    const after = await updateAccount(transaction, id, data);
    await recordChange(transaction, actor, {
      action: "UpdateAccount",
      ...subjectOf(id),
      before: snapshot(before, { limits: limits?.before, timeZone: zoneBefore }),
      after: snapshot(after, { limits: limits?.after, timeZone: timeZone ?? zoneBefore }),
    });
    return after;
  });
  notices.publish("account.changed", id);
  const [limits, { wallet }] = await Promise.all([
    findLimits(ledger, [id]),
    ledger.getWallet({ accountId: id }),
  ]);
  const side = { limits: limits.get(id), timeZone: wallet?.timeZone };
  return { account: toAccount(changed, side) };
}

function subjectOf(accountId: string) {
  return { subjectKind: "account", subjectId: accountId, accountId } as const;
}
