import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { NewLink } from "./new-link.tsx";
import { RoleFields, roleOfForm } from "./role-fields.tsx";

/** Adds an operator and shows the link with which they sign in. */
export function CreateOperator({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const create = useChange(OperatorService.method.createOperator);
  if (create.data) {
    return <NewLink link={isOpen ? create.data.link : undefined} onClose={onClose} />;
  }
  return (
    <Dialog title="Add operator" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Add operator"
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(values) => create.mutate({ name: values("name"), ...roleOfForm(values) })}
        onCancel={onClose}
      >
        <Field
          label="Name"
          name="name"
          required
          autoComplete="off"
          hint="With which they sign in, such as an e-mail address."
        />
        <RoleFields />
      </CallForm>
    </Dialog>
  );
}
