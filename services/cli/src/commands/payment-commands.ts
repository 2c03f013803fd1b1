import { formatUsd } from "@tollgate/core/money";
import { type Payment, PaymentState } from "@tollgate/proto/tollgate/v1/payment";
import {
  namedAmountOrders,
  readChoice,
  readSearchedPage,
  searchedOptions,
} from "../options/list-options.ts";
import { readUsd, readWholeNumber } from "../text/amounts.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";
import { listOutput } from "./list-output.ts";

const maxDays = 365;
/** A verification lists all payments of its days. */
const verifyTimeoutMs = 60 * 60 * 1_000;

/** `tollgate payments checkout` */
export const createCheckoutCommand: Command = {
  takes: ["ACCOUNT", "USD"],
  options: [],
  async run([account = "", amount = ""], _options, operator) {
    const amountNanoUsd = readUsd(amount, "USD");
    const { payment, url } = await operator().createCheckout({ account, amountNanoUsd });
    return { lines: [url], json: { ...(payment && paymentJson(payment)), url } };
  },
};

/** `tollgate payments list` */
export const listPaymentsCommand: Command = {
  takes: [],
  options: ["account", "state", ...searchedOptions],
  async run(_args, { account = "", before = "", state, ...options }, operator) {
    const page = readSearchedPage(options, namedAmountOrders);
    const { payments, nextPaymentId } = await operator().listPayments({
      ...{ account, beforePaymentId: before, ...page },
      ...(state !== undefined && { state: readChoice(state, "--state", states) }),
    });
    return listOutput("payments", {
      rows: payments,
      next: nextPaymentId,
      toLines: (rows) => rows.map(paymentLine),
      toJson: paymentJson,
    });
  },
};

const states = {
  open: PaymentState.OPEN,
  credited: PaymentState.CREDITED,
  failed: PaymentState.FAILED,
  refused: PaymentState.REFUSED,
} as const;

/** `tollgate payments verify` */
export const verifyPaymentsCommand: Command = {
  takes: [],
  options: ["days"],
  async run(_args, { days = "30" }, operator) {
    const request = { days: readWholeNumber(days, "--days", maxDays) };
    const found = await operator().verifyPayments(request, { timeoutMs: verifyTimeoutMs });
    const { payments, credits, discrepancies } = found;
    const failed = discrepancies.length > 0;
    const counts = `${payments} payments of Stripe, ${credits} top-ups of the ledger`;
    return {
      lines: [`${counts}: ${failed ? "DISCREPANCIES" : "no discrepancies"}`, ...discrepancies],
      json: { payments: Number(payments), credits: Number(credits), discrepancies },
      failed,
    };
  },
};

function stateOf({ state }: Payment): string {
  return (PaymentState[state] ?? "").toLowerCase();
}

function paymentLine(payment: Payment): string {
  const { id, accountId, amountNanoUsd, refundedNanoUsd, disputedNanoUsd, problem } = payment;
  const amount = formatUsd(amountNanoUsd).padStart(14);
  const gone = [
    ...(refundedNanoUsd > 0n ? [`refunded ${formatUsd(refundedNanoUsd)}`] : []),
    ...(disputedNanoUsd > 0n ? [`disputed ${formatUsd(disputedNanoUsd)}`] : []),
  ];
  const rest = [...gone, problem].join(" ").trim();
  const text = `${isoTime(payment.createdAt)} ${amount} ${stateOf(payment).padEnd(8)} ${accountId} ${id} ${rest}`;
  return text.trimEnd();
}

function paymentJson(payment: Payment) {
  return {
    id: payment.id,
    account_id: payment.accountId,
    kind: payment.kind,
    amount_nano_usd: String(payment.amountNanoUsd),
    state: stateOf(payment),
    problem: payment.problem,
    intent_id: payment.intentId,
    refunded_nano_usd: String(payment.refundedNanoUsd),
    disputed_nano_usd: String(payment.disputedNanoUsd),
    created_at: isoTime(payment.createdAt),
    credited_at: isoTime(payment.creditedAt),
  };
}
