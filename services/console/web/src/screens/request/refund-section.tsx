import type { Entry, RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { formatMoney, plainUsd } from "../../format/money.ts";
import { newReference } from "../../format/reference.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { readAmount } from "../../ui/limits-fields.tsx";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/screen.tsx";
import { Time } from "../../ui/time.tsx";
import { useFormError } from "../../ui/use-form-error.ts";
import { useOpen } from "../../ui/use-open.ts";

interface Props {
  requests: readonly RequestRecord[];
  /** The ledger entries of earlier refunds. */
  refunds: readonly Entry[];
}

/** What of a request's charges was refunded, and the dialog that refunds more. */
export function RefundSection({ requests, refunds }: Props) {
  const { canChange } = useAccess();
  const refund = useOpen();
  const charged = requests.reduce((sum, one) => sum + one.chargedNanoUsd, 0n);
  const refunded = refunds.reduce((sum, one) => sum + one.amountNanoUsd, 0n);
  const left = charged - refunded;
  const canRefund = canChange && left > 0n;
  if (refunds.length === 0 && !canRefund) return null;
  return (
    <Section
      title="Refunds"
      note={refunds.length === 0 ? "none" : `${formatMoney(refunded)} of ${formatMoney(charged)}`}
      actions={canRefund && <Button onClick={refund.open}>Refund</Button>}
    >
      {refunds.length > 0 && (
        <ul className="refunds">
          {refunds.map((entry) => (
            <li key={entry.id}>
              <Time at={entry.recordedAt} as="seconds" /> <Money nano={entry.amountNanoUsd} />
              <span className="cut">{entry.reason}</span>
              <code className="quiet cut">{entry.id}</code>
            </li>
          ))}
        </ul>
      )}
      <RefundDialog
        key={refund.key}
        requestId={requests[0]?.requestId ?? ""}
        left={left}
        isOpen={refund.isOpen}
        onClose={refund.close}
      />
    </Section>
  );
}

interface DialogProps {
  requestId: string;
  /** What is left to refund. */
  left: bigint;
  isOpen: boolean;
  onClose: () => void;
}

function RefundDialog({ requestId, left, isOpen, onClose }: DialogProps) {
  const refund = useChange(OperatorService.method.refundRequest, { onSuccess: onClose });
  const [reference] = useState(() => newReference("refund"));
  const [submit, problem] = useFormError((values) =>
    refund.mutate({
      ...{ requestId, reference, reason: values("reason") },
      amountNanoUsd: readAmount(values("amount"), "The amount"),
    }),
  );
  return (
    <Dialog
      title="Refund the request"
      description="The amount is added to the wallet, as a new entry of the ledger. It cannot be undone."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Refund"
        isBusy={refund.isPending}
        error={problem ?? refund.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Field
          label="Amount in USD"
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          required
          defaultValue={plainUsd(left)}
          hint={`At most ${formatMoney(left)}, what is left of its charge.`}
        />
        <Field label="Reason" name="reason" autoComplete="off" maxLength={200} required />
      </CallForm>
    </Dialog>
  );
}
