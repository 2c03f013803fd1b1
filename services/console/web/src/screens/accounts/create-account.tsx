import { useNavigate } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { AdmissionChoice } from "../../ui/admission-choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { LimitsFields, readAmount, readLimitFields } from "../../ui/limits-fields.tsx";
import { useFormError } from "../../ui/use-form-error.ts";

/** Creates an account and leads to it. */
export function CreateAccount({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  const create = useChange(OperatorService.method.createAccount, {
    onSuccess: ({ account }) => {
      onClose();
      void navigate({ to: "/accounts/$accountId", params: { accountId: account?.id ?? "" } });
    },
  });
  const [submit, problem] = useFormError((values) => {
    const credit = values("credit");
    create.mutate({
      name: values("name"),
      creditNanoUsd: /^[0.]*$/.test(credit) ? 0n : readAmount(credit, "The opening credit"),
      admission: values("admission"),
      limits: readLimitFields(values),
    });
  });
  return (
    <Dialog title="Create account" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Create account"
        isBusy={create.isPending}
        error={problem ?? create.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Field label="Name" name="name" required autoComplete="off" />
        <Field
          label="Opening credit in USD"
          name="credit"
          inputMode="decimal"
          placeholder="0.00"
          autoComplete="off"
          hint="Requests are refused while the wallet is empty."
        />
        <AdmissionChoice present="" />
        <LimitsFields limits={undefined} />
      </CallForm>
    </Dialog>
  );
}
