import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DoneButton } from "../../ui/done-button.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { SecretText } from "../../ui/secret-text.tsx";
import { RoleChoice } from "./role-choice.tsx";

interface Props {
  /** Empty: the own account of a member. */
  account: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Invites an address to an account. An operator gets the link, too. */
export function InviteMember({ account, isOpen, onClose }: Props) {
  const invite = useChange(OperatorService.method.inviteMember);
  if (invite.data) {
    const { secret, invitation } = invite.data;
    return (
      <Dialog title={`Invited ${invitation?.email}`} isOpen={isOpen} onClose={onClose}>
        {secret === "" ? (
          <p>The link is on its way by mail. It works once, for 7 days.</p>
        ) : (
          <>
            <p>Send the link to this address only: it works once, for 7 days.</p>
            <SecretText text={`${location.origin}/invitation#${secret}`} what="link" />
          </>
        )}
        <DoneButton onClick={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite a member" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Invite"
        isBusy={invite.isPending}
        error={invite.error}
        onSubmit={(values) =>
          invite.mutate({ account, email: values("email"), role: Number(values("role")) })
        }
        onCancel={onClose}
      >
        <Field label="E-mail address" name="email" type="email" required autoComplete="off" />
        <RoleChoice />
      </CallForm>
    </Dialog>
  );
}
