import { GatewayError } from "@tollgate/core/errors";
import type Stripe from "stripe";
import type { Account, PrismaClient } from "../generated/client.ts";
import { ensureCustomer } from "./customers.ts";
import { paymentsPage } from "./settings.ts";
import { isMissing, type StripeAccess, toPaymentError } from "./stripe-client.ts";

interface CardParts {
  prisma: PrismaClient;
  access: StripeAccess;
}

/**
 * Resolves with the card that automatic top-ups of an account charge: the one that the customer chose in the
 * portal, or else the newest; undefined if none is saved.
 */
export async function findCard(
  { prisma, access: { stripe } }: CardParts,
  accountId: string,
): Promise<Stripe.PaymentMethod | undefined> {
  const known = await prisma.paymentCustomer.findUnique({ where: { accountId } });
  if (known === null) return undefined;
  try {
    const customer = await stripe.customers.retrieve(known.customerId, {
      expand: ["invoice_settings.default_payment_method"],
    });
    if (customer.deleted) return undefined;
    const chosen = customer.invoice_settings.default_payment_method;
    if (chosen !== null && typeof chosen === "object" && chosen.type === "card") return chosen;
    const query = { type: "card", limit: 1 } as const;
    const { data } = await stripe.customers.listPaymentMethods(known.customerId, query);
    return data[0];
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Opens a page of Stripe on which a card is saved for automatic top-ups. Resolves with its address. */
export async function createCardSetup(parts: CardParts, account: Account): Promise<string> {
  const { stripe, settings } = parts.access;
  const page = paymentsPage(settings, account.id);
  try {
    const { url } = await stripe.checkout.sessions.create({
      mode: "setup",
      customer: await ensureCustomer(parts, account),
      client_reference_id: account.id,
      currency: "usd",
      success_url: page,
      cancel_url: page,
    });
    if (url === null) throw new Error("Stripe returned a checkout without a page");
    return url;
  } catch (error) {
    throw toPaymentError(error);
  }
}

/** Opens the customer portal of Stripe: cards and tax ids. Resolves with its address. */
export async function createPortalSession(parts: CardParts, account: Account): Promise<string> {
  const { stripe, settings } = parts.access;
  try {
    const { url } = await stripe.billingPortal.sessions.create({
      customer: await ensureCustomer(parts, account),
      return_url: paymentsPage(settings, account.id),
    });
    return url;
  } catch (error) {
    throw toPaymentError(error);
  }
}

const maxPages = 20;
const windowMs = 60 * 60_000;

/** Throws `rate_limited` if too many pages for cards were opened for an account within an hour. */
export async function limitCardPages(
  { prisma, now }: { prisma: PrismaClient; now(): Date },
  accountId: string,
): Promise<void> {
  const at = { gt: new Date(now().getTime() - windowMs) };
  const action = { in: ["CreateCardSetup", "CreatePortalSession"] };
  const opened = await prisma.auditRecord.count({ where: { accountId, action, at } });
  if (opened < maxPages) return;
  const message = `At most ${maxPages} pages of Stripe are opened for an account within an hour.`;
  throw new GatewayError("rate_limited", message, { retryAfterSeconds: windowMs / 1_000 });
}
