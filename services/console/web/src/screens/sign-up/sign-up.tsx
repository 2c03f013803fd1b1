import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { useState } from "react";
import { useSession } from "../../calls/use-session.ts";
import { CallForm, Field } from "../../ui/form.tsx";
import { useAddressSecret } from "../../ui/use-address-secret.ts";
import { Entrance } from "../sign-in/entrance.tsx";
import { NewPasswordField } from "../sign-in/new-password-field.tsx";

/** Asks for an address to sign up with, or confirms it by the secret that follows `#`. */
export function SignUpScreen() {
  const [secret, setSecret] = useState("");
  useAddressSecret(setSecret);
  return secret === "" ? <Request /> : <Confirmation secret={secret} />;
}

function Request() {
  const { termsUrl = "" } = useSession().data ?? {};
  const signUp = useMutation(ConsoleService.method.signUp);
  if (signUp.isSuccess) {
    return (
      <Entrance title="Check your mail">
        <p role="status">Open the link that was sent to you to confirm the address.</p>
      </Entrance>
    );
  }
  return (
    <Entrance title="Sign up">
      <CallForm
        submit="Sign up"
        isBusy={signUp.isPending}
        error={signUp.error}
        onSubmit={(values) => {
          const acceptsTerms = values("terms") !== "";
          signUp.mutate({ email: values("email"), accountName: values("account"), acceptsTerms });
        }}
      >
        <Field label="E-mail address" name="email" type="email" autoComplete="email" required />
        <Field
          label="Name of the account"
          name="account"
          autoComplete="organization"
          maxLength={128}
          hint="Your company or project."
          required
        />
        {termsUrl !== "" && (
          <label className="check">
            <input type="checkbox" name="terms" required />
            <span>
              I accept the{" "}
              <a href={termsUrl} target="_blank" rel="noreferrer">
                terms
              </a>
            </span>
          </label>
        )}
      </CallForm>
      <p className="hint">
        <Link to="/sign-in">Sign in</Link> if you have signed up before.
      </p>
    </Entrance>
  );
}

function Confirmation({ secret }: { secret: string }) {
  const queries = useQueryClient();
  const router = useRouter();
  const confirm = useMutation(ConsoleService.method.confirmSignUp, {
    onSuccess: () => {
      queries.clear();
      router.history.replace("/");
    },
  });
  return (
    <Entrance title="Confirm your address">
      <CallForm
        submit="Confirm"
        isBusy={confirm.isPending}
        error={confirm.error}
        onSubmit={(values) =>
          confirm.mutate({ secret, name: values("name"), password: values("password") })
        }
      >
        <Field label="Your name" name="name" autoComplete="name" maxLength={128} required />
        <NewPasswordField />
      </CallForm>
    </Entrance>
  );
}
