import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { Section } from "../../ui/screen.tsx";
import { useOpen } from "../../ui/use-open.ts";

/** Whether an account stores prompts and responses, for how long, and the dialog that changes it. */
export function ContentSection({ account }: { account: string }) {
  const { canSeeContent } = useAccess();
  const { data } = useQuery(OperatorService.method.getAccount, { account });
  const edit = useOpen();
  const stored = data?.account?.account;
  if (stored === undefined) return null;
  const days = stored.contentDays;
  return (
    <Section
      title="Prompts and responses"
      actions={canSeeContent && <Button onClick={edit.open}>Change storing</Button>}
    >
      <p>
        {days === 0 ? "They are not stored." : `They are stored, encrypted, for ${daysOf(days)}.`}
      </p>
      <EditDays
        key={edit.key}
        account={stored.id}
        days={days}
        isOpen={edit.isOpen}
        onClose={edit.close}
      />
    </Section>
  );
}

function daysOf(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}

interface EditProps {
  account: string;
  days: number;
  isOpen: boolean;
  onClose: () => void;
}

function EditDays({ account, days, isOpen, onClose }: EditProps) {
  const update = useChange(OperatorService.method.updateContentDays, { onSuccess: onClose });
  return (
    <Dialog
      title="Store prompts and responses"
      description="Admins of the account and operators can read them on a request's page. The audit log records each view."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Save"
        isBusy={update.isPending}
        error={update.error}
        onSubmit={(values) => update.mutate({ account, days: Number(values("days")) })}
        onCancel={onClose}
      >
        <Field
          label="Days"
          name="days"
          inputMode="numeric"
          pattern="[0-9]{1,3}"
          required
          hint="At most 365. 0 stores none any more, and deletes what is stored."
          defaultValue={days}
        />
      </CallForm>
    </Dialog>
  );
}
