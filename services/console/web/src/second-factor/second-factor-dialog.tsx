import { useMutation } from "@connectrpc/connect-query";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import type { Operator } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { useChange } from "../calls/use-change.ts";
import { Dialog } from "../ui/dialog.tsx";
import { DoneButton } from "../ui/done-button.tsx";
import { CallForm } from "../ui/form.tsx";
import { PresentPasswordField } from "../ui/present-password-field.tsx";
import { SecretText } from "../ui/secret-text.tsx";
import { CodeField } from "./code-field.tsx";
import { QrCode } from "./qr-code.tsx";
import "./second-factor.css";

interface Props {
  operator: Operator;
  onClose: () => void;
}

/** Sets up the second factor of the signed-in user, or turns it off. */
export function SecondFactorDialog({ operator, onClose }: Props) {
  // The recovery codes are shown after it has been set up.
  const [hadOne] = useState(operator.hasSecondFactor);
  return hadOne ? <TurnOff onClose={onClose} /> : <SetUp operator={operator} onClose={onClose} />;
}

function TurnOff({ onClose }: { onClose: () => void }) {
  const turnOff = useChange(ConsoleService.method.turnOffSecondFactor, { onSuccess: onClose });
  return (
    <Dialog
      title="Turn off the second factor"
      description="A password alone signs in then."
      isOpen
      onClose={onClose}
    >
      <CallForm
        submit="Turn off"
        look="danger"
        isBusy={turnOff.isPending}
        error={turnOff.error}
        onSubmit={(values) => turnOff.mutate({ code: values("code") })}
        onCancel={onClose}
      >
        <CodeField hasRecovery />
      </CallForm>
    </Dialog>
  );
}

function SetUp({ operator, onClose }: Props) {
  const setUp = useMutation(ConsoleService.method.setUpSecondFactor);
  const confirm = useChange(ConsoleService.method.confirmSecondFactor);
  const { secret, uri } = setUp.data ?? {};
  if (confirm.data !== undefined) {
    return <RecoveryCodes codes={confirm.data.recoveryCodes} onClose={onClose} />;
  }
  if (secret !== undefined && uri !== undefined) {
    return (
      <Dialog title="Scan the code" description={scanNote} isOpen onClose={onClose}>
        <QrCode text={uri} label="QR code of the second factor" />
        <p className="quiet">
          Or type this key into the app:
          <code data-secret="" className="typed-secret">
            {secret.replace(/.{4}(?=.)/g, "$& ")}
          </code>
        </p>
        <CallForm
          submit="Turn on"
          isBusy={confirm.isPending}
          error={confirm.error}
          onSubmit={(values) => confirm.mutate({ code: values("code") })}
          onCancel={onClose}
        >
          <CodeField />
        </CallForm>
      </Dialog>
    );
  }
  return (
    <Dialog title="Set up a second factor" description={setUpNote} isOpen onClose={onClose}>
      <CallForm
        submit="Continue"
        isBusy={setUp.isPending}
        error={setUp.error}
        onSubmit={(values) => setUp.mutate({ presentPassword: values("present") })}
        onCancel={onClose}
      >
        {operator.hasPassword && <PresentPasswordField />}
      </CallForm>
    </Dialog>
  );
}

const setUpNote =
  "After a password or a link, a sign-in then asks for a code that an authenticator app shows.";
const scanNote = "Scan it with an authenticator app, and enter the code that the app shows.";

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog
      title="Recovery codes"
      description="Each signs you in once, in place of a code, if you lose the app."
      isOpen
      onClose={onClose}
    >
      <SecretText text={codes.join("\n")} what="recovery codes" />
      <DoneButton onClick={onClose} />
    </Dialog>
  );
}
