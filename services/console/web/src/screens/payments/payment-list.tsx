import { useQuery } from "@connectrpc/connect-query";
import {
  type GetPaymentSettingsResponse,
  OperatorService,
} from "@tollgate/proto/tollgate/v1/operator";
import { type Payment, PaymentState } from "@tollgate/proto/tollgate/v1/payment";
import { useAccess } from "../../calls/use-session.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { PayByCard } from "./pay-by-card.tsx";
import { RedeemCode } from "./redeem-code.tsx";

const pageSize = 100;

interface Props {
  account: string;
  settings: GetPaymentSettingsResponse;
  /** Whether the payments are those of one account. */
  isOfAccount: boolean;
}

/** The newest payments by card, with what adds credit. */
export function PaymentList({ account, settings, isOfAccount }: Props) {
  const payments = useQuery(OperatorService.method.listPayments, { account, limit: pageSize });
  const { canPay } = useAccess();
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
    <Section title="Payments by card" note={`the newest ${pageSize}`} actions={actions}>
      <Loaded query={payments} rows={3}>
        {({ payments }) =>
          payments.length === 0 ? (
            <Empty icon="payments" title="No payments yet" />
          ) : (
            <DataTable
              caption="Payments"
              columns={paymentColumns}
              rows={payments}
              idOf={({ id }) => id}
            />
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

const states: Readonly<Record<PaymentState, readonly [text: string, tone: Tone]>> = {
  [PaymentState.UNSPECIFIED]: ["unknown", "neutral"],
  [PaymentState.OPEN]: ["not paid yet", "neutral"],
  [PaymentState.CREDITED]: ["credited", "good"],
  [PaymentState.FAILED]: ["failed", "warn"],
  [PaymentState.REFUSED]: ["not credited", "bad"],
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
