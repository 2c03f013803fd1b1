import type { Log } from "@tollgate/core/log";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import type Stripe from "stripe";
import type { PrismaClient } from "../generated/client.ts";
import { takeCardCredit } from "../members/start-credit.ts";
import type { Sealer } from "../sealing.ts";
import { findCard } from "./cards.ts";
import type { StripeAccess } from "./stripe-client.ts";

export interface CardCreditParts {
  prisma: PrismaClient;
  ledger: Client<typeof LedgerService>;
  access: StripeAccess;
  /** Hashes the fingerprints of cards. Undefined where TOLLGATE_IDENTITY_KEY is not set, which sign-up needs. */
  sealer: Sealer | undefined;
}

const reference = "start-credit";
/** Of how many accounts `payCardCredits` reads the cards at most. */
const batch = 200;

/**
 * Pays the start credit of an account that waits for a card, if its saved card has paid none for another
 * account. Resolves with whether it was paid now. Calls may run at the same time, and be repeated.
 */
export async function payCardCredit(parts: CardCreditParts, accountId: string): Promise<boolean> {
  const { prisma, ledger, sealer } = parts;
  const where = { id: accountId, closedAt: null, startCreditNanoUsd: { gt: 0n } };
  const account = await prisma.account.findFirst({ where });
  if (account === null || sealer === undefined) return false;
  const card = fingerprintOf(await findCard(parts, accountId));
  if (card === undefined || !(await takeCardCredit(prisma, sealer, { card, accountId }))) {
    return false;
  }
  const amountNanoUsd = account.startCreditNanoUsd;
  const { credited } = await ledger.topUp({ accountId, amountNanoUsd, reference });
  await prisma.account.updateMany({ where, data: { startCreditNanoUsd: 0n } });
  return credited;
}

/**
 * Pays the start credits whose events were lost: of accounts that began to save a card since then. The log names
 * each account for which that failed.
 */
export async function payCardCredits(
  parts: CardCreditParts & { log: Log },
  since: Date,
): Promise<void> {
  const accounts = await parts.prisma.account.findMany({
    where: {
      ...{ closedAt: null, startCreditNanoUsd: { gt: 0n } },
      customer: { createdAt: { gt: since } },
    },
    orderBy: { id: "desc" },
    take: batch,
    select: { id: true },
  });
  for (const { id } of accounts) {
    await payCardCredit(parts, id).catch(({ message }: Error) => {
      const failure = { account_id: id, reason: message };
      parts.log.warn(failure, "paying a start credit failed and will be retried");
    });
  }
}

/**
 * Returns the fingerprint of a card's number. Undefined for a prepaid card, which needs no bank account, and for
 * a card of a wallet such as Apple Pay, which has a different number on each device.
 */
function fingerprintOf(method: Stripe.PaymentMethod | undefined): string | undefined {
  const { fingerprint, funding, wallet } = method?.card ?? {};
  if (funding === "prepaid" || (wallet !== undefined && wallet !== null)) return undefined;
  return fingerprint ?? undefined;
}
