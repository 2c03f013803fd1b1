import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { ConsoleService, type ReadInvitationResponse } from "@tollgate/proto/tollgate/v1/console";
import { useState } from "react";
import { errorMessageOf } from "../../calls/query-client.ts";
import { memberRoleNames, memberRoleNotes } from "../../format/member-roles.ts";
import { CallForm, Field } from "../../ui/form.tsx";
import { Loading } from "../../ui/states.tsx";
import { useAddressSecret } from "../../ui/use-address-secret.ts";
import { Entrance } from "../sign-in/entrance.tsx";
import { NewPasswordField } from "../sign-in/new-password-field.tsx";

/** Accepts the invitation whose secret follows `#`. */
export function InvitationScreen() {
  const [secret, setSecret] = useState("");
  const [isMissing] = useState(() => location.hash.length < 2);
  const read = useMutation(ConsoleService.method.readInvitation);
  useAddressSecret((found) => {
    setSecret(found);
    read.mutate({ secret: found });
  });
  const isLinkCut = isMissing && secret === "";
  const error = isLinkCut ? "The link is not complete: copy all of it." : read.error;
  return (
    <Entrance title={read.data ? `Join ${read.data.accountName}` : "Invitation"}>
      {read.data && <Acceptance invitation={read.data} secret={secret} />}
      {error && (
        <p className="form-error" role="alert">
          {typeof error === "string" ? error : errorMessageOf(error)}
        </p>
      )}
      {!read.data && !error && <Loading rows={4} />}
    </Entrance>
  );
}

function Acceptance(props: { invitation: ReadInvitationResponse; secret: string }) {
  const { email, role, isKnown } = props.invitation;
  const join = useJoin();
  if (join.isSuccess && isKnown) {
    return (
      <p role="status">
        You are a member now. <Link to="/">Open the console</Link>
      </p>
    );
  }
  return (
    <>
      <p>
        {email} is invited as <strong>{memberRoleNames[role].toLowerCase()}</strong>.{" "}
        <span className="quiet">{memberRoleNotes[role]}</span>
      </p>
      <CallForm
        submit="Join"
        isBusy={join.isPending}
        error={join.error}
        onSubmit={(values) => {
          const { secret } = props;
          join.mutate({ secret, name: values("name"), password: values("password") });
        }}
      >
        {!isKnown && (
          <>
            <input type="hidden" name="username" autoComplete="username" value={email} />
            <Field label="Your name" name="name" autoComplete="name" maxLength={128} required />
            <NewPasswordField />
          </>
        )}
      </CallForm>
    </>
  );
}

/** A new person is signed in by it, and led to the overview. */
function useJoin() {
  const queries = useQueryClient();
  const router = useRouter();
  return useMutation(ConsoleService.method.joinAccount, {
    onSuccess: ({ operator }) => {
      queries.clear();
      if (operator !== undefined) router.history.replace("/");
    },
  });
}
