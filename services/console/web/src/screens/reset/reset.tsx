import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { useState } from "react";
import { CallForm, Field } from "../../ui/form.tsx";
import { useAddressSecret } from "../../ui/use-address-secret.ts";
import { CodeForm } from "../sign-in/code-form.tsx";
import { Entrance } from "../sign-in/entrance.tsx";
import { NewPasswordField } from "../sign-in/new-password-field.tsx";

/** Mails a link for another password, or sets one by the secret that follows `#`. */
export function ResetScreen() {
  const [secret, setSecret] = useState("");
  useAddressSecret(setSecret);
  return secret === "" ? <Request /> : <NewPassword secret={secret} />;
}

function Request() {
  const reset = useMutation(ConsoleService.method.resetPassword);
  if (reset.isSuccess) {
    return (
      <Entrance title="Check your mail">
        <p role="status">If somebody has signed up with this address, a link is on its way.</p>
      </Entrance>
    );
  }
  return (
    <Entrance title="Choose another password">
      <CallForm
        submit="Send a link"
        isBusy={reset.isPending}
        error={reset.error}
        onSubmit={(values) => reset.mutate({ email: values("email") })}
      >
        <Field label="E-mail address" name="email" type="email" autoComplete="email" required />
      </CallForm>
      <p className="hint">
        <Link to="/sign-in">Back to the sign-in</Link>
      </p>
    </Entrance>
  );
}

/**
 * The link signs in, and is used up when the password is sent. The password is set once a code of the second
 * factor was entered, where there is one.
 */
function NewPassword({ secret }: { secret: string }) {
  const queries = useQueryClient();
  const router = useRouter();
  const [chosen, setChosen] = useState("");
  const signIn = useMutation(ConsoleService.method.signIn);
  const setPassword = useMutation(ConsoleService.method.setPassword, {
    onSuccess: () => {
      queries.clear();
      router.history.replace("/");
    },
  });
  const save = async (newPassword: string) => {
    setChosen(newPassword);
    if (!signIn.isSuccess) {
      const method = { case: "linkSecret", value: secret } as const;
      const { needsCode } = await signIn.mutateAsync({ method });
      if (needsCode) return;
    }
    await setPassword.mutateAsync({ newPassword });
  };
  const isWaiting = signIn.data?.needsCode === true && setPassword.isIdle;
  if (isWaiting) {
    return (
      <Entrance title="Enter your code">
        <CodeForm onSuccess={() => setPassword.mutate({ newPassword: chosen })} />
      </Entrance>
    );
  }
  return (
    <Entrance title="Choose another password">
      <CallForm
        submit="Save password"
        isBusy={signIn.isPending || setPassword.isPending}
        error={signIn.error ?? setPassword.error}
        // The two calls keep their errors.
        onSubmit={(values) => void save(values("password")).catch(() => {})}
      >
        <NewPasswordField />
      </CallForm>
    </Entrance>
  );
}
