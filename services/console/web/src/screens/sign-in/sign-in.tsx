import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { useSession } from "../../calls/use-session.ts";
import { CallForm, Field } from "../../ui/form.tsx";
import { Failure } from "../../ui/states.tsx";
import { useAddressSecret } from "../../ui/use-address-secret.ts";
import { CodeForm } from "./code-form.tsx";
import { Entrance } from "./entrance.tsx";

const route = getRouteApi("/sign-in");

/** Signs in: by the secret of a link, which follows `#`, by OpenID Connect or by a password. */
export function SignIn() {
  const session = useSession();
  const { next } = route.useSearch();
  const enter = useEntry();
  const signIn = useMutation(ConsoleService.method.signIn, {
    onSuccess: ({ needsCode }) => !needsCode && enter(),
  });
  useAddressSecret((value) => signIn.mutate({ method: { case: "linkSecret", value } }));
  if (session.error && session.data === undefined) {
    return <Failure error={session.error} onRetry={() => void session.refetch()} />;
  }
  const { oidcName = "", signUp = "off", sendsMail = false } = session.data ?? {};
  const canSignUp = signUp !== "off";
  if (signIn.data?.needsCode) {
    return (
      <Entrance title="Enter your code">
        <CodeForm onSuccess={enter} onCancel={() => signIn.reset()} />
      </Entrance>
    );
  }
  return (
    <Entrance title="Sign in to Tollgate">
      {oidcName !== "" && (
        <>
          <a
            className="button primary wide"
            href={`/sign-in/oidc${next ? `?next=${encodeURIComponent(next)}` : ""}`}
          >
            Continue with {oidcName}
          </a>
          <p className="or">or with a password</p>
        </>
      )}
      <CallForm
        submit="Sign in"
        isBusy={signIn.isPending}
        error={signIn.error}
        onSubmit={(values) => {
          const value = { name: values("name"), password: values("password") };
          signIn.mutate({ method: { case: "password", value } });
        }}
      >
        <Field label="Name or e-mail address" name="name" autoComplete="username" required />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
      </CallForm>
      {(canSignUp || sendsMail) && (
        <p className="hint">
          {sendsMail && <Link to="/reset">Forgot the password?</Link>}
          {sendsMail && canSignUp && " · "}
          {canSignUp && <Link to="/sign-up">Sign up</Link>}
        </p>
      )}
      <p className="hint">
        No password yet? Open the sign-in link that an owner created, or run{" "}
        <code>tollgate operator link</code> on the machine of the gateway.
      </p>
    </Entrance>
  );
}

/** Returns what leads to the screen from which one was led here, or to the overview. */
function useEntry() {
  const { next } = route.useSearch();
  const queries = useQueryClient();
  const router = useRouter();
  return () => {
    // What another user read before is not shown to the one who signs in.
    queries.clear();
    const isOwnPath = /^\/(?![/\\])/.test(next ?? "");
    router.history.replace(isOwnPath ? (next ?? "/") : "/");
  };
}
