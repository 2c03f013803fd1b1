import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import type { Operator } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { useChange } from "../calls/use-change.ts";
import { Dialog } from "../ui/dialog.tsx";
import { CallForm, Field, type FieldReader, InputError } from "../ui/form.tsx";
import { PresentPasswordField } from "../ui/present-password-field.tsx";

interface Props {
  operator: Operator;
  isOpen: boolean;
  onClose: () => void;
}

const minCharacters = 12;
const maxCharacters = 1_024;

/** Sets the password of the signed-in user. */
export function PasswordDialog({ operator, isOpen, onClose }: Props) {
  const setPassword = useChange(ConsoleService.method.setPassword, { onSuccess: onClose });
  const [problem, setProblem] = useState<InputError>();
  const submit = (values: FieldReader) => {
    const isRepeated = values("new") === values("again");
    setProblem(isRepeated ? undefined : new InputError("The two new passwords differ."));
    if (!isRepeated) return;
    setPassword.mutate({ presentPassword: values("present"), newPassword: values("new") });
  };
  const limits = { minLength: minCharacters, maxLength: maxCharacters, required: true };
  return (
    <Dialog
      title={operator.hasPassword ? "Change password" : "Set a password"}
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Save password"
        isBusy={setPassword.isPending}
        error={problem ?? setPassword.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <input type="hidden" name="username" autoComplete="username" value={operator.name} />
        {operator.hasPassword && <PresentPasswordField />}
        <Field
          label="New password"
          name="new"
          type="password"
          autoComplete="new-password"
          hint={`At least ${minCharacters} characters.`}
          {...limits}
        />
        <Field
          label="New password again"
          name="again"
          type="password"
          autoComplete="new-password"
          {...limits}
        />
      </CallForm>
    </Dialog>
  );
}
