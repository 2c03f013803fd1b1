import type { Log } from "@tollgate/core/log";
import type Stripe from "stripe";
import type { Payment } from "../../generated/client.ts";
import { toCents } from "../cents.ts";
import { ensureCustomer } from "../customers.ts";
import { type PaymentParts, settlePayment } from "../settle-payment.ts";

export interface ChargeParts extends PaymentParts {
  log: Log;
}

/** Stripe knows an idempotency key for 24 hours at least. */
const repeatableMs = 20 * 60 * 60_000;
/** When the event about a payment is overdue. */
const overdueMs = 15 * 60_000;
const pageSize = 100;

/**
 * Charges the card of an automatic top-up that is open, once, however often and wherever it is called: Stripe
 * returns the same PaymentIntent for the id of a payment. Credits nothing: an event does, or the hourly
 * comparison with Stripe. Rejects where Stripe cannot be reached, and the payment stays open.
 */
export async function chargeCard(parts: ChargeParts, payment: Payment): Promise<void> {
  const { prisma, now } = parts;
  const ageMs = now().getTime() - payment.createdAt.getTime();
  if (payment.intentId !== null) {
    if (ageMs > overdueMs) await settlePayment(parts, payment.intentId);
    return;
  }
  const account = await prisma.account.findUniqueOrThrow({ where: { id: payment.accountId } });
  const customer = await ensureCustomer(parts, account);
  if (ageMs > repeatableMs || account.closedAt !== null) {
    const intent = await findIntentOf(parts, payment, customer);
    if (intent === undefined) await fail(parts, payment, "It was not sent to Stripe in time.");
    else await settlePayment(parts, intent.id);
    return;
  }
  try {
    const intent = await createIntent(parts, payment, customer);
    const where = { id: payment.id, intentId: null };
    await prisma.payment.updateMany({ where, data: { intentId: intent.id } });
  } catch (error) {
    const { type, message, payment_intent: intent } = error as Stripe.errors.StripeError;
    if (type === "StripeCardError") await fail(parts, payment, message, intent?.id);
    // A card that was removed meanwhile.
    else if (type === "StripeInvalidRequestError") {
      await fail(parts, payment, "The card cannot be charged.");
    } else throw error;
  }
}

function createIntent(
  { access: { stripe } }: ChargeParts,
  { id, amountNanoUsd, paymentMethodId }: Payment,
  customer: string,
): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.create(
    {
      amount: toCents(amountNanoUsd),
      currency: "usd",
      customer,
      payment_method: paymentMethodId,
      allowed_payment_method_types: ["card"],
      off_session: true,
      confirm: true,
      description: "Automatic top-up",
      metadata: { tollgate_payment: id },
    },
    { idempotencyKey: id },
  );
}

/** Resolves with the PaymentIntent of a payment whose creation may have been interrupted. */
async function findIntentOf(
  { access: { stripe } }: ChargeParts,
  { id, createdAt }: Payment,
  customer: string,
): Promise<Stripe.PaymentIntent | undefined> {
  const created = { gte: Math.floor(createdAt.getTime() / 1_000) - 60 };
  for await (const intent of stripe.paymentIntents.list({ customer, created, limit: pageSize })) {
    if (intent.metadata.tollgate_payment === id) return intent;
  }
  return undefined;
}

async function fail(
  { prisma, log }: ChargeParts,
  { id, accountId }: Payment,
  problem: string,
  intentId?: string,
): Promise<void> {
  const data = { state: "failed", problem, ...(intentId !== undefined && { intentId }) };
  await prisma.payment.updateMany({ where: { id, state: "open" }, data });
  log.warn({ payment: id, account_id: accountId, problem }, "an automatic top-up failed");
}
