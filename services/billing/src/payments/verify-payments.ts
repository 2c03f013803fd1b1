import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import type { Credit } from "@tollgate/proto/tollgate/v1/credit";
import type Stripe from "stripe";
import { fromCents } from "./cents.ts";
import { findIntent, type PaymentParts, settlePayment } from "./settle-payment.ts";
import { toPaymentError } from "./stripe-client.ts";

const dayMs = 24 * 60 * 60 * 1_000;
/** A younger payment without a credit is settled, but not reported: its event may still arrive. */
const graceMs = 15 * 60 * 1_000;
/** The beginning of the ids of PaymentIntents. */
const intentPrefix = "pi_";
const pageSize = 100;

export interface PaymentVerification {
  /** How many payments of Stripe, and top-ups of the ledger, were compared. */
  payments: number;
  credits: number;
  /** One line for each discrepancy, also for those that were settled. */
  discrepancies: string[];
}

/**
 * Compares the payments of the last `days` at Stripe with the ledger, in both directions, and settles those that
 * the ledger lacks. Resolves with a line for each discrepancy that is older than a quarter of an hour.
 */
export async function verifyPayments(
  parts: PaymentParts,
  days: number,
): Promise<PaymentVerification> {
  const from = new Date(parts.now().getTime() - days * dayMs);
  try {
    const intents = await listIntents(parts, from);
    const credits = await listCredits(parts, from);
    const lines = [
      ...(await settleMissing(parts, from, intents, credits)),
      ...(await checkCredits(parts, intents, credits)),
      ...(await listRefused(parts, from)),
      ...(await listUnhandled(parts)),
    ];
    return { payments: intents.size, credits: credits.size, discrepancies: lines };
  } catch (error) {
    throw toPaymentError(error);
  }
}

type Intents = ReadonlyMap<string, Stripe.PaymentIntent>;
type Credits = ReadonlyMap<string, Credit>;

/** Resolves with the payments that the gateway began, of the period, by their ids. */
async function listIntents({ access }: PaymentParts, from: Date): Promise<Intents> {
  const intents = new Map<string, Stripe.PaymentIntent>();
  const query = { created: { gte: secondsOf(from) }, limit: pageSize };
  for await (const intent of access.stripe.paymentIntents.list(query)) {
    if (intent.metadata.tollgate_payment !== undefined) intents.set(intent.id, intent);
  }
  return intents;
}

/** Resolves with the ledger's top-ups by Stripe of the period, by the ids of their payments. */
async function listCredits(parts: PaymentParts, from: Date): Promise<Credits> {
  const credits = new Map<string, Credit>();
  let since = timestampFromDate(from);
  for (;;) {
    const page = await parts.credits.listCredits({ from: since, referencePrefix: intentPrefix });
    for (const credit of page.credits) credits.set(credit.reference, credit);
    const last = page.credits.at(-1)?.recordedAt;
    if (!page.hasMore || last === undefined) return credits;
    since = last;
  }
}

/** Settles the payments that are paid and not credited, and those that were refunded or disputed. */
async function settleMissing(
  parts: PaymentParts,
  from: Date,
  intents: Intents,
  credits: Credits,
): Promise<string[]> {
  const { stripe } = parts.access;
  const missing = new Set<string>();
  for (const { id, status } of intents.values()) {
    if (status === "succeeded" && !credits.has(id)) missing.add(id);
  }
  const query = { created: { gte: secondsOf(from) }, limit: pageSize };
  for await (const { payment_intent: intent } of stripe.refunds.list(query)) add(missing, intent);
  for await (const { payment_intent: intent } of stripe.disputes.list(query)) add(missing, intent);
  const lines: string[] = [];
  for (const id of missing) {
    const { payment, changes } = await settlePayment(parts, id);
    const intent = intents.get(id);
    if (payment === undefined && intent !== undefined) {
      lines.push(
        `${id}: Stripe has it, for the payment ${intent.metadata.tollgate_payment}, which does not exist`,
      );
    }
    if (intent !== undefined && isRecent(parts, new Date(intent.created * 1_000))) continue;
    lines.push(...changes.map((change) => `${id}: the ledger lacked it; ${change} now`));
  }
  return lines;
}

function add(ids: Set<string>, intent: string | Stripe.PaymentIntent | null): void {
  if (intent !== null) ids.add(typeof intent === "string" ? intent : intent.id);
}

/** Checks that Stripe has each payment that the ledger has credited. */
async function checkCredits(
  { access, prisma }: PaymentParts,
  intents: Intents,
  credits: Credits,
): Promise<string[]> {
  const lines: string[] = [];
  for (const { reference: id, accountId, amountNanoUsd } of credits.values()) {
    const intent = intents.get(id) ?? (await findIntent(access.stripe, id));
    const credited = `${id}: the ledger credited ${formatUsd(amountNanoUsd)} USD to ${accountId}`;
    const payment = await prisma.payment.findUnique({ where: { intentId: id } });
    if (intent === undefined) lines.push(`${credited}, and Stripe does not have it`);
    else if (intent.status !== "succeeded") lines.push(`${credited}, and Stripe was not paid`);
    else if (intent.currency !== "usd" || fromCents(intent.amount_received) !== amountNanoUsd) {
      lines.push(
        `${credited}, and Stripe was paid ${intent.amount_received} cents of ${intent.currency}`,
      );
    } else if (payment?.accountId !== accountId) {
      lines.push(`${credited}, and it is not a payment of that account`);
    }
  }
  return lines;
}

/** Lists the payments that were paid and are not credited. */
async function listRefused({ prisma }: PaymentParts, from: Date): Promise<string[]> {
  const refused = await prisma.payment.findMany({
    where: { state: "refused", createdAt: { gte: from } },
    orderBy: { id: "asc" },
    take: 1_000,
  });
  return refused.map(({ intentId, id, problem }) => `${intentId ?? id}: not credited. ${problem}`);
}

/** Lists the events that arrived and could not be handled. */
async function listUnhandled({ prisma, now }: PaymentParts): Promise<string[]> {
  const before = new Date(now().getTime() - graceMs);
  const events = await prisma.stripeEvent.findMany({
    where: { handledAt: null, receivedAt: { lt: before } },
    orderBy: { receivedAt: "asc" },
    take: 1_000,
  });
  return events.map(({ id, type }) => `event ${id} (${type}): not handled yet`);
}

function isRecent({ now }: PaymentParts, at: Date): boolean {
  return now().getTime() - at.getTime() < graceMs;
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
