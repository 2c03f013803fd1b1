import { useMutation } from "@connectrpc/connect-query";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { CodeField } from "../../second-factor/code-field.tsx";
import { CallForm } from "../../ui/form.tsx";

interface Props {
  onSuccess: () => void;
  /** Leads back to the sign-in, where there is one to lead back to. */
  onCancel?: () => void;
}

/** Completes a sign-in by a code of the second factor. */
export function CodeForm({ onSuccess, onCancel }: Props) {
  const enter = useMutation(ConsoleService.method.enterCode, { onSuccess });
  return (
    <CallForm
      submit="Continue"
      isBusy={enter.isPending}
      error={enter.error}
      onSubmit={(values) => enter.mutate({ code: values("code") })}
      {...(onCancel && { onCancel })}
    >
      <CodeField hasRecovery />
    </CallForm>
  );
}
