import { newId } from "@tollgate/core/ids";
import type { AutoTopUp, Payment, Prisma } from "../../generated/client.ts";
import { withLockedRow } from "../../row-lock.ts";
import { findCard } from "../cards.ts";
import type { PaymentParts } from "../settle-payment.ts";
import { findStopReason } from "./stop-reason.ts";

/** A card that has declined is not charged again before this time has passed. */
const pauseMs = 60 * 60_000;

/**
 * Records a payment that the card of an account has to pay now, before Stripe knows it. Resolves with undefined if
 * none is due. The row of the account is locked meanwhile: of calls at the same time, one records a payment.
 */
export async function beginPayment(
  parts: PaymentParts,
  accountId: string,
): Promise<Payment | undefined> {
  const { prisma } = parts;
  const settings = await prisma.autoTopUp.findUnique({ where: { accountId } });
  if (settings === null || !(await isBalanceLow(parts, settings))) return undefined;
  const card = await findCard(parts, accountId);
  if (card === undefined) return undefined;
  return withLockedRow(prisma, "account", accountId, async (transaction) => {
    const current = await transaction.autoTopUp.findUnique({ where: { accountId } });
    if (current === null || !(await isDue(parts, transaction, current))) return undefined;
    const { amountNanoUsd } = current;
    const data = { id: newId("payment"), accountId, kind: "auto", amountNanoUsd };
    const createdAt = parts.now();
    return transaction.payment.create({ data: { ...data, paymentMethodId: card.id, createdAt } });
  });
}

/** Resolves with whether a payment is due. The account is locked. */
async function isDue(
  parts: PaymentParts,
  transaction: Prisma.TransactionClient,
  settings: AutoTopUp,
): Promise<boolean> {
  const { accountId, isEnabled, amountNanoUsd, monthlyCapNanoUsd } = settings;
  const account = await transaction.account.findUniqueOrThrow({ where: { id: accountId } });
  if (!isEnabled || account.closedAt !== null || account.frozenAt !== null) return false;
  if ((await findStopReason(transaction, settings)) !== "") return false;
  const since = new Date(parts.now().getTime() - pauseMs);
  const blocking = [{ state: "open" }, { state: "failed", createdAt: { gt: since } }];
  const where = { accountId, kind: "auto", OR: blocking };
  if ((await transaction.payment.count({ where })) > 0) return false;
  const paid = await paidThisMonth(transaction, accountId, parts.now());
  if (paid + amountNanoUsd > monthlyCapNanoUsd) return false;
  // Read last: a payment that is not open any more is in this balance.
  return isBalanceLow(parts, settings);
}

async function isBalanceLow(
  { ledger }: PaymentParts,
  { accountId, thresholdNanoUsd }: AutoTopUp,
): Promise<boolean> {
  const { wallet } = await ledger.getWallet({ accountId });
  return (wallet?.balanceNanoUsd ?? 0n) < thresholdNanoUsd;
}

/** Resolves with what automatic top-ups of an account have paid in this month (UTC), or are paying. */
export async function paidThisMonth(
  database: Prisma.TransactionClient,
  accountId: string,
  now: Date,
): Promise<bigint> {
  const createdAt = { gte: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)) };
  const { _sum } = await database.payment.aggregate({
    where: { accountId, kind: "auto", state: { not: "failed" }, createdAt },
    _sum: { amountNanoUsd: true },
  });
  return _sum.amountNanoUsd ?? 0n;
}
