import { type Account, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useId } from "react";
import { useChange } from "../../calls/use-change.ts";
import { AdmissionChoice } from "../../ui/admission-choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { LimitsFields, readLimitChanges } from "../../ui/limits-fields.tsx";
import { PlanChoice } from "../../ui/plan-choice.tsx";
import { useFormError } from "../../ui/use-form-error.ts";

interface Props {
  account: Account;
  isOpen: boolean;
  onClose: () => void;
}

/** Changes the admission policy, the plan, the limits and the time zone of an account. */
export function EditAccount({ account, isOpen, onClose }: Props) {
  const update = useChange(OperatorService.method.updateAccount, { onSuccess: onClose });
  const present = account.limits?.limits;
  const zones = useId();
  const [submit, problem] = useFormError((values) =>
    update.mutate({
      account: account.id,
      admission: values("admission"),
      ...(values("plan") === account.plan ? {} : { plan: values("plan") }),
      ...(values("time_zone") === account.timeZone ? {} : { timeZone: values("time_zone") }),
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
        <Field
          label="Time zone of budgets"
          name="time_zone"
          list={zones}
          defaultValue={account.timeZone}
          placeholder="UTC"
          hint="Periods that have begun end as they would have."
        />
        <datalist id={zones}>
          {Intl.supportedValuesOf("timeZone").map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </CallForm>
    </Dialog>
  );
}
