import { useQuery } from "@connectrpc/connect-query";
import {
  type GetPaymentSettingsResponse,
  OperatorService,
} from "@tollgate/proto/tollgate/v1/operator";
import { type Payment, PaymentState } from "@tollgate/proto/tollgate/v1/payment";
import { useAccess } from "../../calls/use-session.ts";
import { amountOrderOf, amountOrders, pageSizeOf } from "../../search/list-search.ts";
import { type PaymentsSearch, paymentStates } from "../../search/payments-search.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { AccountFilter } from "../../ui/filter-bar.tsx";
import { AccountLink } from "../../ui/named.tsx";
import { Section } from "../../ui/screen.tsx";
import { Pager, useSearchChange } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { TimedListFilters } from "../../ui/timed-list-filters.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { PayByCard } from "./pay-by-card.tsx";
import { RedeemCode } from "./redeem-code.tsx";

interface Props {
  search: PaymentsSearch;
  settings: GetPaymentSettingsResponse;
  /** Whether the payments are those of one account. */
  isOfAccount: boolean;
}

/** The payments by card, with what adds credit. */
export function PaymentList({ search, settings, isOfAccount }: Props) {
  const { account = "", before } = search;
  const { canPay, isCustomer } = useAccess();
  const payments = useQuery(
    OperatorService.method.listPayments,
    {
      ...{ search: search.q ?? "", order: amountOrderOf(search), limit: pageSizeOf(search) },
      ...{ account, beforePaymentId: before ?? "" },
      state: search.state === undefined ? PaymentState.UNSPECIFIED : paymentStates[search.state][0],
    },
    { placeholderData: (previous) => previous },
  );
  const [pay, redeem] = [useOpen(), useOpen()];
  const actions = isOfAccount && canPay && (
    <>
      <Button onClick={redeem.open}>Redeem a code</Button>
      {settings.isEnabled && (
        <Button look="primary" icon="plus" onClick={pay.open}>
          Top up by card
        </Button>
      )}
    </>
  );
  return (
    <Section title="Payments by card" actions={actions}>
      <TimedListFilters
        label={isCustomer ? "Search by id or problem" : "Search by account, id or problem"}
        search={search}
        orders={amountOrders}
      >
        {!isCustomer && <AccountFilter account={account} />}
        <StateFilter state={search.state} />
      </TimedListFilters>
      {search.order === "amount" && <p className="quiet">Of the newest 5,000 payments.</p>}
      <Loaded query={payments} rows={3}>
        {({ payments, nextPaymentId, names }) =>
          payments.length === 0 && nextPaymentId === "" ? (
            <Empty icon="payments" title="No payments" />
          ) : (
            <>
              <DataTable
                caption="Payments"
                columns={isOfAccount ? paymentColumns : withAccount(names)}
                rows={payments}
                idOf={({ id }) => id}
              />
              <Pager before={before} next={nextPaymentId || undefined} size={pageSizeOf(search)} />
            </>
          )
        }
      </Loaded>
      <PayByCard
        key={`pay ${pay.key}`}
        {...{ account, settings, isOpen: pay.isOpen, onClose: pay.close }}
      />
      <RedeemCode
        key={`redeem ${redeem.key}`}
        {...{ account, isOpen: redeem.isOpen, onClose: redeem.close }}
      />
    </Section>
  );
}

function StateFilter({ state = "" }: { state: PaymentsSearch["state"] | "" }) {
  const change = useSearchChange();
  return (
    <select
      aria-label="State"
      value={state}
      onChange={({ target }) => change({ state: target.value || undefined })}
    >
      <option value="">All states</option>
      {Object.entries(paymentStates).map(([name, [, text]]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  );
}

function withAccount(names: Readonly<Record<string, string>>): DataColumn<Payment>[] {
  const account: DataColumn<Payment> = {
    header: "Account",
    cell: ({ accountId }) => <AccountLink id={accountId} names={names} />,
  };
  return [...paymentColumns.slice(0, 1), account, ...paymentColumns.slice(1)];
}

const states: Readonly<Record<PaymentState, readonly [text: string, tone: Tone]>> = {
  [PaymentState.UNSPECIFIED]: ["unknown", "neutral"],
  [PaymentState.OPEN]: [paymentStates.open[1], "neutral"],
  [PaymentState.CREDITED]: [paymentStates.credited[1], "good"],
  [PaymentState.FAILED]: [paymentStates.failed[1], "warn"],
  [PaymentState.REFUSED]: [paymentStates.refused[1], "bad"],
};

function StateText({ state, problem }: Payment) {
  const [text, tone] = states[state];
  return (
    <>
      <Badge tone={tone}>{text}</Badge> {problem}
    </>
  );
}

const paymentColumns: readonly DataColumn<Payment>[] = [
  { header: "Begun", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { header: "By", cell: ({ kind }) => (kind === "auto" ? "saved card" : "checkout") },
  { header: "State", cell: (payment) => <StateText {...payment} /> },
  {
    header: "Refunded or disputed",
    isSecondary: true,
    money: ({ refundedNanoUsd, disputedNanoUsd }) => refundedNanoUsd + disputedNanoUsd || undefined,
  },
  { header: "Amount", money: ({ amountNanoUsd }) => amountNanoUsd },
];
