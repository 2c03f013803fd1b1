import { type Account, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { useChange } from "../../calls/use-change.ts";
import { newReference } from "../../format/reference.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { readAmount } from "../../ui/limits-fields.tsx";
import { useFormError } from "../../ui/use-form-error.ts";

interface Props {
  account: Account;
  isOpen: boolean;
  onClose: () => void;
}

/** Adds credit to a wallet. */
export function TopUpDialog({ account, isOpen, onClose }: Props) {
  const topUp = useChange(OperatorService.method.topUpWallet, { onSuccess: onClose });
  const [reference] = useState(() => newReference("console"));
  const [submit, problem] = useFormError((values) =>
    topUp.mutate({
      account: account.id,
      amountNanoUsd: readAmount(values("amount"), "The amount"),
      reference: values("reference"),
    }),
  );
  return (
    <Dialog title={`Top up ${account.name}`} isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Top up"
        isBusy={topUp.isPending}
        error={problem ?? topUp.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Field
          label="Amount in USD"
          name="amount"
          inputMode="decimal"
          placeholder="100.00"
          autoComplete="off"
          required
        />
        <Field
          label="Reference"
          name="reference"
          defaultValue={reference}
          autoComplete="off"
          required
          hint="Your name for the payment, such as an invoice number. A second top-up with the same
            reference and amount adds nothing."
        />
      </CallForm>
    </Dialog>
  );
}
