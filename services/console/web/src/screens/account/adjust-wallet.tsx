import { type Account, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { useChange } from "../../calls/use-change.ts";
import { newReference } from "../../format/reference.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Choice, Field } from "../../ui/form.tsx";
import { readAmount } from "../../ui/limits-fields.tsx";
import { useFormError } from "../../ui/use-form-error.ts";

interface Props {
  account: Account;
  isOpen: boolean;
  onClose: () => void;
}

const directions = [
  ["add", "Add to the balance"],
  ["take", "Take from the balance"],
] as const;

/** Corrects the balance of a wallet, with a reason. */
export function AdjustWallet({ account, isOpen, onClose }: Props) {
  const adjust = useChange(OperatorService.method.adjustWallet, { onSuccess: onClose });
  const [reference] = useState(() => newReference("adjust"));
  const [submit, problem] = useFormError((values) => {
    const amount = readAmount(values("amount"), "The amount");
    adjust.mutate({
      account: account.id,
      amountNanoUsd: values("direction") === "take" ? -amount : amount,
      reason: values("reason"),
      reference: values("reference"),
    });
  });
  return (
    <Dialog
      title={`Adjust ${account.name}`}
      description="A correction is a new entry of the ledger. No entry is changed or removed."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Adjust balance"
        isBusy={adjust.isPending}
        error={problem ?? adjust.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Choice label="Direction" name="direction" options={directions} />
        <Field
          label="Amount in USD"
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          required
        />
        <Field label="Reason" name="reason" autoComplete="off" required />
        <Field
          label="Reference"
          name="reference"
          defaultValue={reference}
          autoComplete="off"
          required
          hint="A second adjustment with the same reference and amount changes nothing."
        />
      </CallForm>
    </Dialog>
  );
}
