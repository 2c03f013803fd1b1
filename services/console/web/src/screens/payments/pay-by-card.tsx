import {
  type GetPaymentSettingsResponse,
  OperatorService,
} from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import { readAmount } from "../../ui/limits-fields.tsx";
import { useFormError } from "../../ui/use-form-error.ts";
import { openStripePage } from "./stripe-page.ts";
import { TopUpAmountField } from "./top-up-amount-field.tsx";

interface Props {
  account: string;
  settings: GetPaymentSettingsResponse;
  isOpen: boolean;
  onClose: () => void;
}

/** Opens the page of Stripe on which a top-up is paid. */
export function PayByCard({ account, settings, isOpen, onClose }: Props) {
  const pay = useChange(OperatorService.method.createCheckout, { onSuccess: openStripePage });
  const [submit, problem] = useFormError((values) =>
    pay.mutate({ account, amountNanoUsd: readAmount(values("amount"), "The amount") }),
  );
  return (
    <Dialog title="Top up by card" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Go to Stripe"
        isBusy={pay.isPending}
        error={problem ?? pay.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TopUpAmountField settings={settings} />
      </CallForm>
    </Dialog>
  );
}
