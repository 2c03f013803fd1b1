import { GatewayError } from "@tollgate/core/errors";
import { formatUsd } from "@tollgate/core/money";
import type { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import type Stripe from "stripe";
import type { Payment, Prisma, PrismaClient } from "../generated/client.ts";
import { fromCents } from "./cents.ts";
import { reverseDisputes, reverseRefunds } from "./reverse-payment.ts";
import { isMissing, type StripeAccess } from "./stripe-client.ts";

export interface PaymentParts {
  prisma: PrismaClient;
  ledger: Client<typeof LedgerService>;
  credits: Client<typeof CreditService>;
  access: StripeAccess;
  now(): Date;
}

/** The result of settling a payment. */
export interface SettledPayment {
  /** Undefined for a payment that is not the gateway's. */
  payment: Payment | undefined;
  /** The changes that the call made in the ledger, as sentences. */
  changes: string[];
}

/**
 * Makes the ledger agree with the present state of a PaymentIntent at Stripe: credits a paid one, takes the
 * amounts of its refunds and disputes from the wallet, and returns the amounts of disputes that were won.
 * Reads that state from Stripe and not from an event, so that events may repeat, overtake each other, or
 * arrive a day late. Each change of the ledger has a reference and is applied once, so calls may run
 * concurrently.
 */
export async function settlePayment(
  parts: PaymentParts,
  intentId: string,
): Promise<SettledPayment> {
  const { prisma, access, now } = parts;
  const readAt = now();
  const intent = await findIntent(access.stripe, intentId);
  const paymentId = intent?.metadata.tollgate_payment;
  if (intent === undefined || paymentId === undefined) return { payment: undefined, changes: [] };
  const payment = await prisma.payment.findUnique({ where: { id: paymentId } });
  if (payment === null) return { payment: undefined, changes: [] };
  const problem = problemOf(intent, payment);
  if (problem !== undefined) return refuse(parts, payment, intentId, problem);
  if (intent.status !== "succeeded") return recordUnpaid(parts, payment, intent, readAt);
  return settlePaid(parts, payment, intent, readAt);
}

/** Resolves with a PaymentIntent of Stripe; undefined where there is none. */
export async function findIntent(
  stripe: Stripe,
  id: string,
): Promise<Stripe.PaymentIntent | undefined> {
  try {
    return await stripe.paymentIntents.retrieve(id);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns why a payment is not credited although it may be paid. */
function problemOf(intent: Stripe.PaymentIntent, payment: Payment): string | undefined {
  if (payment.intentId !== null && payment.intentId !== intent.id) {
    return secondPayment(intent.id);
  }
  if (intent.status !== "succeeded") return undefined;
  if (intent.currency !== "usd") {
    return `It was paid in ${intent.currency.toUpperCase()}. The wallet is in USD.`;
  }
  const received = fromCents(intent.amount_received);
  if (received === payment.amountNanoUsd) return undefined;
  const [paid, expected] = [received, payment.amountNanoUsd].map(formatUsd);
  return `${paid} USD were paid instead of ${expected} USD.`;
}

function secondPayment(intentId: string): string {
  return `It was paid a second time, by ${intentId}. Refund that payment.`;
}

async function settlePaid(
  parts: PaymentParts,
  payment: Payment,
  intent: Stripe.PaymentIntent,
  readAt: Date,
): Promise<SettledPayment> {
  const { prisma, ledger, credits, access, now } = parts;
  const { id, accountId, amountNanoUsd } = payment;
  const changes: string[] = [];
  // Of two payments at the same time for one checkout, the other one is refused.
  const { count } = await prisma.payment.updateMany({
    where: { id, OR: [{ intentId: null }, { intentId: intent.id }] },
    data: { intentId: intent.id },
  });
  if (count === 0)
    return refuse(parts, await reread(prisma, payment), intent.id, secondPayment(intent.id));
  try {
    const { credited } = await ledger.topUp({ accountId, amountNanoUsd, reference: intent.id });
    if (credited) changes.push(`credited ${formatUsd(amountNanoUsd)} USD`);
  } catch (error) {
    // More than a wallet holds, or a reference that somebody used for another amount.
    if (!(error instanceof GatewayError) || error.code !== "invalid_param") throw error;
    return refuse(parts, payment, intent.id, error.message);
  }
  const credit = { state: "credited", problem: "", intentId: intent.id, creditedAt: now() };
  await prisma.payment.updateMany({ where: { id, creditedAt: null }, data: credit });
  const paid = { accountId, intentId: intent.id };
  const refunded = await reverseRefunds({ credits, stripe: access.stripe }, paid);
  const disputed = await reverseDisputes({ credits, stripe: access.stripe }, paid);
  await update(prisma, payment, readAt, {
    refundedNanoUsd: refunded.nanoUsd,
    disputedNanoUsd: disputed.nanoUsd,
    problem: disputed.problem,
  });
  changes.push(...refunded.changes, ...disputed.changes);
  return { payment: await reread(prisma, payment), changes };
}

async function recordUnpaid(
  { prisma }: PaymentParts,
  payment: Payment,
  intent: Stripe.PaymentIntent,
  readAt: Date,
): Promise<SettledPayment> {
  const declined = intent.last_payment_error?.message;
  const failed = { state: "failed", problem: declined ?? "It was canceled." };
  const isFailed = intent.status === "canceled" || declined !== undefined;
  const data = isFailed ? failed : { state: "open", problem: "" };
  await update(prisma, payment, readAt, data, { creditedAt: null });
  return { payment: await reread(prisma, payment), changes: [] };
}

/** Records why a paid payment is not credited. Operators see it, and no wallet changes. */
async function refuse(
  { prisma }: PaymentParts,
  payment: Payment,
  intentId: string,
  problem: string,
): Promise<SettledPayment> {
  const isOther = payment.intentId !== null && payment.intentId !== intentId;
  // A payment that was credited remains so: the problem is about another one of the same checkout.
  const state = payment.creditedAt === null ? { state: "refused" } : {};
  const intent = isOther ? {} : { intentId };
  const data = { ...state, ...intent, problem };
  return {
    payment: await prisma.payment.update({ where: { id: payment.id }, data }),
    changes: [],
  };
}

/** Writes what Stripe said at `readAt`, unless a newer response was written meanwhile. */
async function update(
  prisma: PrismaClient,
  { id }: Payment,
  readAt: Date,
  data: Prisma.PaymentUpdateManyMutationInput,
  where: Prisma.PaymentWhereInput = {},
): Promise<void> {
  const isOlder = [{ readAt: null }, { readAt: { lte: readAt } }];
  await prisma.payment.updateMany({
    where: { id, ...where, OR: isOlder },
    data: { ...data, readAt },
  });
}

function reread(prisma: PrismaClient, { id }: Payment): Promise<Payment> {
  return prisma.payment.findUniqueOrThrow({ where: { id } });
}
