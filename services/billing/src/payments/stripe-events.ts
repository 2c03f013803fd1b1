import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type Stripe from "stripe";
import type { PrismaClient } from "../generated/client.ts";
import { type CardCreditParts, payCardCredit } from "./card-credit.ts";
import { type PaymentParts, settlePayment } from "./settle-payment.ts";
import { type StripeAccess, toPaymentError } from "./stripe-client.ts";

/** What handling an event needs. */
export type EventParts = PaymentParts & CardCreditParts & { log: Log };

/** How old a signature may be. A delivery that is repeated has a new one. */
const toleranceSeconds = 300;
/** How long events are stored. Stripe repeats one for three days. */
const keepMs = 30 * 24 * 60 * 60 * 1_000;

/** The types of the events that may change the state of a payment. It is settled after each. */
const settling = /^(checkout\.session|payment_intent|charge|refund)\./;

/**
 * Handles a delivery of Stripe: checks its signature, records its event once, and settles the payment that
 * it is about, or pays the start credit of a saved card. Throws `invalid_param` for a delivery without a
 * signature of Stripe from the last five minutes. After any other failure the event stays unhandled, and Stripe
 * repeats it.
 */
export async function receiveStripeEvent(
  parts: EventParts,
  { body, signature }: { body: Uint8Array; signature: string },
): Promise<void> {
  const { prisma, log, now } = parts;
  const event = verifyEvent(parts.access, body, signature);
  const intentId = settling.test(event.type) ? intentOf(event.data.object) : "";
  const data = [{ id: event.id, type: event.type, intentId }];
  await prisma.stripeEvent.createMany({ data, skipDuplicates: true });
  const recorded = await prisma.stripeEvent.findUnique({ where: { id: event.id } });
  if (recorded?.handledAt) return;
  try {
    if (event.type === "checkout.session.expired") await expire(prisma, event.data.object);
    if (event.type === "checkout.session.completed") await paySaved(parts, event.data.object);
    if (intentId !== "") {
      const { payment, changes } = await settlePayment(parts, intentId);
      const { id, problem } = payment ?? {};
      if (changes.length > 0)
        log.info({ payment: id, event: event.type, changes }, "payment settled");
      if (payment?.state === "refused") log.error({ payment: id, problem }, "payment not credited");
    }
  } catch (error) {
    throw toPaymentError(error);
  }
  await prisma.stripeEvent.update({ where: { id: event.id }, data: { handledAt: now() } });
}

/** Deletes the events that are older than `keepMs`, which Stripe does not repeat any more. */
export async function deleteOldEvents(prisma: PrismaClient, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keepMs);
  await prisma.stripeEvent.deleteMany({ where: { receivedAt: { lt: before } } });
}

function verifyEvent(
  { stripe, settings }: StripeAccess,
  body: Uint8Array,
  signature: string,
): Stripe.Event {
  for (const secret of settings.webhookSecrets) {
    try {
      const bytes = Buffer.from(body);
      return stripe.webhooks.constructEvent(bytes, signature, secret, toleranceSeconds);
    } catch {
      // Another secret may be the one.
    }
  }
  const message = "The signature is not one of Stripe, or is too old.";
  throw new GatewayError("invalid_param", message, { param: "Stripe-Signature" });
}

/** Returns the id of the PaymentIntent that an object of Stripe is, or belongs to; else an empty text. */
function intentOf(object: Stripe.Event.Data.Object): string {
  const { object: kind, id, payment_intent: owner } = object as StripeObject;
  if (kind === "payment_intent") return id ?? "";
  if (typeof owner === "string") return owner;
  return owner?.id ?? "";
}

interface StripeObject {
  object?: string;
  id?: string;
  payment_intent?: string | { id: string } | null;
}

/** Pays the start credit that waits for a card, once the page on which a card is saved is completed. */
async function paySaved(
  parts: EventParts,
  { mode, customer }: Stripe.Checkout.Session,
): Promise<void> {
  const customerId = typeof customer === "string" ? customer : customer?.id;
  if (mode !== "setup" || customerId === undefined) return;
  const known = await parts.prisma.paymentCustomer.findFirst({ where: { customerId } });
  if (known === null) return;
  const { accountId } = known;
  if (await payCardCredit(parts, accountId)) {
    parts.log.info({ account_id: accountId }, "start credit paid");
  }
}

/** Marks a payment whose page has expired before anybody paid. */
async function expire(prisma: PrismaClient, session: Stripe.Checkout.Session): Promise<void> {
  const id = session.metadata?.tollgate_payment;
  if (id === undefined || session.payment_status === "paid") return;
  const data = { state: "failed", problem: "The page expired before it was paid." };
  await prisma.payment.updateMany({ where: { id, state: "open" }, data });
}
