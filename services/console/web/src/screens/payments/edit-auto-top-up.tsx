import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { AutoTopUp } from "@tollgate/proto/tollgate/v1/payment";
import { useChange } from "../../calls/use-change.ts";
import { plainUsd } from "../../format/money.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Choice, Field } from "../../ui/form.tsx";
import { readAmount } from "../../ui/limits-fields.tsx";
import { useFormError } from "../../ui/use-form-error.ts";
import { TopUpAmountField } from "./top-up-amount-field.tsx";

interface Props {
  account: string;
  autoTopUp: AutoTopUp | undefined;
  isOpen: boolean;
  onClose: () => void;
}

/** Sets the automatic top-ups of an account, which resumes them if they have stopped. */
export function EditAutoTopUp({ account, autoTopUp, isOpen, onClose }: Props) {
  const settings = useQuery(OperatorService.method.getPaymentSettings, { account });
  const update = useChange(OperatorService.method.updateAutoTopUp, { onSuccess: onClose });
  const [submit, problem] = useFormError((values) =>
    update.mutate({
      account,
      autoTopUp: {
        isEnabled: values("state") === "on",
        thresholdNanoUsd: readAmount(values("threshold"), "The balance"),
        amountNanoUsd: readAmount(values("amount"), "The amount"),
        monthlyCapNanoUsd: readAmount(values("cap"), "The most in a month"),
      },
    }),
  );
  const money = { inputMode: "decimal", autoComplete: "off", required: true } as const;
  const valueFor = (amount: bigint | undefined) => ({
    defaultValue: amount === undefined ? "" : plainUsd(amount),
  });
  return (
    <Dialog title="Automatic top-ups" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Save"
        isBusy={update.isPending}
        error={problem ?? update.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Choice
          label="Automatic top-ups"
          name="state"
          options={[
            ["on", "On"],
            ["off", "Off"],
          ]}
        />
        <Field
          label="When the balance is below, USD"
          name="threshold"
          {...money}
          {...valueFor(autoTopUp?.thresholdNanoUsd)}
        />
        {settings.data && (
          <TopUpAmountField settings={settings.data} amount={autoTopUp?.amountNanoUsd} />
        )}
        <Field
          label="At most in a month (UTC), USD"
          name="cap"
          {...money}
          {...valueFor(autoTopUp?.monthlyCapNanoUsd)}
        />
      </CallForm>
    </Dialog>
  );
}
