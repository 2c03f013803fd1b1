import { GatewayError } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import type { Account, Payment, PrismaClient } from "../generated/client.ts";
import { toCents } from "./cents.ts";
import { ensureCustomer } from "./customers.ts";
import { paymentsPage } from "./settings.ts";
import { type StripeAccess, toPaymentError } from "./stripe-client.ts";
import { requireTopUpAmount } from "./top-up-amount.ts";

/** The most open payments of an account. Each is a page of Stripe. */
const maxOpen = 20;
/** Stripe's page expires after this time. */
const openMs = 24 * 60 * 60 * 1_000;

/**
 * Opens a page of Stripe on which a top-up is paid. Nothing is credited before the payment is settled.
 * Throws `invalid_param` for an amount that the settings do not allow, and `rate_limited` where the
 * account has too many open payments.
 */
export async function createCheckout(
  { prisma, access, now }: { prisma: PrismaClient; access: StripeAccess; now(): Date },
  account: Account,
  amountNanoUsd: bigint,
): Promise<{ payment: Payment; url: string }> {
  const { stripe, settings } = access;
  requireTopUpAmount(amountNanoUsd, settings.topUps);
  const since = new Date(now().getTime() - openMs);
  const open = { accountId: account.id, state: "open", kind: "checkout", createdAt: { gt: since } };
  if ((await prisma.payment.count({ where: open })) >= maxOpen) {
    const message =
      "The account has too many payments that are not paid. Pay one of them, or wait.";
    throw new GatewayError("rate_limited", message, { retryAfterSeconds: 3_600 });
  }
  try {
    const customer = await ensureCustomer({ prisma, access }, account);
    // Stored before Stripe creates the page, because an event about an unknown payment is ignored.
    const data = { id: newId("payment"), accountId: account.id, kind: "checkout", amountNanoUsd };
    const payment = await prisma.payment.create({ data });
    const metadata = { tollgate_payment: payment.id };
    const page = paymentsPage(settings, account.id);
    const session = await stripe.checkout.sessions.create(
      {
        mode: "payment",
        customer,
        client_reference_id: account.id,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: "usd",
              unit_amount: toCents(amountNanoUsd),
              product_data: { name: `Credit of ${account.name}` },
            },
          },
        ],
        // The wallet is in USD: what is paid is what is credited.
        adaptive_pricing: { enabled: false },
        metadata,
        payment_intent_data: { metadata },
        success_url: page,
        cancel_url: page,
      },
      { idempotencyKey: payment.id },
    );
    if (session.url === null) throw new Error("Stripe returned a checkout without a page");
    return { payment, url: session.url };
  } catch (error) {
    throw toPaymentError(error);
  }
}
