import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import {
  type Payment as PaymentMessage,
  PaymentSchema,
  PaymentState,
} from "@tollgate/proto/tollgate/v1/payment";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf, requireOpenAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import type { Payment } from "../generated/client.ts";
import { createCheckout } from "../payments/checkout.ts";
import { requireStripe } from "../payments/stripe-client.ts";
import { verifyPayments } from "../payments/verify-payments.ts";
import { pageSize } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

const defaultDays = 30;
const maxDays = 365;

/** The operator's calls about payments. */
export function implementPayments(parts: OperatorParts) {
  const { prisma, ledger, credits, stripe, actor, now } = parts;
  return {
    async getPaymentSettings() {
      if (stripe === undefined) return { isEnabled: false };
      const { topUps } = stripe.settings;
      if ("amounts" in topUps) return { isEnabled: true, amountsNanoUsd: [...topUps.amounts] };
      return { isEnabled: true, leastNanoUsd: topUps.least, mostNanoUsd: topUps.most };
    },
    async createCheckout({ account: name, amountNanoUsd }) {
      const access = requireStripe(stripe);
      const account = await requireOpenAccount(prisma, name);
      const { payment, url } = await createCheckout(
        { prisma, access, now },
        account,
        amountNanoUsd,
      );
      await recordChange(prisma, actor, {
        action: "CreateCheckout",
        ...{ subjectKind: "payment", subjectId: payment.id, accountId: account.id },
        after: { amount_nano_usd: String(amountNanoUsd) },
      });
      return { payment: toPayment(payment), url };
    },
    async listPayments({ account, limit, beforePaymentId }) {
      const accountId = await accountIdOf(prisma, account);
      const take = pageSize(limit);
      // Ids ascend with the time of their creation.
      const found = await prisma.payment.findMany({
        where: {
          ...(accountId === "" ? {} : { accountId }),
          ...(beforePaymentId === "" ? {} : { id: { lt: beforePaymentId } }),
        },
        orderBy: { id: "desc" },
        take: take + 1,
      });
      return { payments: found.slice(0, take).map(toPayment), hasMore: found.length > take };
    },
    async verifyPayments({ days }) {
      if (days > maxDays) throw invalidParam("days", `must be at most ${maxDays}`);
      const access = requireStripe(stripe);
      const found = await verifyPayments(
        { prisma, ledger, credits, access, now },
        days || defaultDays,
      );
      return {
        payments: BigInt(found.payments),
        credits: BigInt(found.credits),
        discrepancies: found.discrepancies,
      };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

const states: Readonly<Record<string, PaymentState>> = {
  open: PaymentState.OPEN,
  credited: PaymentState.CREDITED,
  failed: PaymentState.FAILED,
  refused: PaymentState.REFUSED,
};

function toPayment(payment: Payment): PaymentMessage {
  const { id, accountId, kind, amountNanoUsd, problem, refundedNanoUsd, disputedNanoUsd } = payment;
  return create(PaymentSchema, {
    ...{ id, accountId, kind, amountNanoUsd, problem, refundedNanoUsd, disputedNanoUsd },
    state: states[payment.state] ?? PaymentState.UNSPECIFIED,
    intentId: payment.intentId ?? "",
    createdAt: timestampFromDate(payment.createdAt),
    ...(payment.creditedAt && { creditedAt: timestampFromDate(payment.creditedAt) }),
  });
}
