import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DoneButton } from "../../ui/done-button.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { expiryOf } from "../../ui/key-fields.tsx";
import { SecretText } from "../../ui/secret-text.tsx";
import { RoleFields, roleOfForm } from "./role-fields.tsx";

/** Creates an operator token and shows its text once. */
export function CreateToken({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const create = useChange(OperatorService.method.createOperatorToken);
  if (create.data) {
    return (
      <Dialog title="Token created" isOpen={isOpen} onClose={onClose}>
        <SecretText text={create.data.text} what="token" />
        <DoneButton onClick={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create token" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Create token"
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(values) => {
          const expiresAt = expiryOf(values("expires"));
          const token = { name: values("name"), ...roleOfForm(values) };
          create.mutate({ ...token, ...(expiresAt && { expiresAt }) });
        }}
        onCancel={onClose}
      >
        <Field label="Name" name="name" required autoComplete="off" />
        <RoleFields />
        <Field label="Expires (UTC)" name="expires" type="datetime-local" />
      </CallForm>
    </Dialog>
  );
}
