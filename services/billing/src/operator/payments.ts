import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import { AmountOrder, TimeOrder } from "@tollgate/proto/tollgate/v1/list";
import type { ListPaymentsRequest, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import {
  type Payment as PaymentMessage,
  PaymentSchema,
  PaymentState,
} from "@tollgate/proto/tollgate/v1/payment";
import type { Implementation } from "@tollgate/rpc/implementation";
import { accountIdOf, requireOpenAccount } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import { type Payment, Prisma } from "../generated/client.ts";
import { createCheckout } from "../payments/checkout.ts";
import { requireStripe } from "../payments/stripe-client.ts";
import { verifyPayments } from "../payments/verify-payments.ts";
import {
  accountNameColumn,
  findLargest,
  findPage,
  having,
  inOrderOf,
  searching,
} from "../row-page.ts";
import { pageSize } from "./account-messages.ts";
import { nameIds } from "./names.ts";
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
    listPayments: (page) => listPayments(prisma, page),
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

const searchedColumns = [
  ...[Prisma.sql`id`, Prisma.sql`intent_id`, Prisma.sql`problem`, Prisma.sql`account_id`],
  accountNameColumn,
];

async function listPayments(
  prisma: OperatorParts["prisma"],
  { account, limit, beforePaymentId, state, search, order }: ListPaymentsRequest,
) {
  const accountId = await accountIdOf(prisma, account);
  const stored = Object.keys(states).find((one) => states[one] === state) ?? "";
  const page = {
    ...{ table: Prisma.sql`payment`, id: Prisma.sql`id`, before: beforePaymentId },
    limit: pageSize(limit),
    bounds: having(Prisma.sql`account_id`, accountId),
    matches: [...having(Prisma.sql`state`, stored), ...searching(search, searchedColumns)],
  };
  const { ids, next = "" } =
    order === AmountOrder.LARGEST
      ? await findLargest(prisma, { ...page, amount: Prisma.sql`amount_nano_usd` })
      : await findPage(prisma, {
          ...page,
          order: order === AmountOrder.OLDEST ? TimeOrder.OLDEST : TimeOrder.UNSPECIFIED,
        });
  const found = await prisma.payment.findMany({ where: { id: { in: ids } } });
  const payments = inOrderOf(ids, found, ({ id }) => id);
  const names = await nameIds(prisma, { accountIds: payments.map((one) => one.accountId) });
  return {
    payments: payments.map(toPayment),
    ...{ hasMore: next !== "", nextPaymentId: next, names },
  };
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
