import { type Account, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { AdmissionChoice } from "../../ui/admission-choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import { LimitsFields, readLimitChanges } from "../../ui/limits-fields.tsx";
import { PlanChoice } from "../../ui/plan-choice.tsx";
import { useFormError } from "../../ui/use-form-error.ts";

interface Props {
  account: Account;
  isOpen: boolean;
  onClose: () => void;
}

/** Changes the admission policy, the plan and the limits of an account. */
export function EditAccount({ account, isOpen, onClose }: Props) {
  const update = useChange(OperatorService.method.updateAccount, { onSuccess: onClose });
  const present = account.limits?.limits;
  const [submit, problem] = useFormError((values) =>
    update.mutate({
      account: account.id,
      admission: values("admission"),
      ...(values("plan") === account.plan ? {} : { plan: values("plan") }),
      limits: readLimitChanges(values, present),
    }),
  );
  return (
    <Dialog title={`Edit ${account.name}`} isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Save"
        isBusy={update.isPending}
        error={problem ?? update.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <AdmissionChoice present={account.admission} />
        <PlanChoice present={account.plan} />
        <LimitsFields limits={present} />
      </CallForm>
    </Dialog>
  );
}
