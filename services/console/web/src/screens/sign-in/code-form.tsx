import { useMutation } from "@connectrpc/connect-query";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { CodeField } from "../../second-factor/code-field.tsx";
import { CallForm } from "../../ui/form.tsx";

/** Completes a sign-in by a code of the second factor. */
export function CodeForm({ onSuccess }: { onSuccess: () => void }) {
  const enter = useMutation(ConsoleService.method.enterCode, { onSuccess });
  return (
    <CallForm
      submit="Continue"
      isBusy={enter.isPending}
      error={enter.error}
      onSubmit={(values) => enter.mutate({ code: values("code") })}
    >
      <CodeField hasRecovery />
    </CallForm>
  );
}
