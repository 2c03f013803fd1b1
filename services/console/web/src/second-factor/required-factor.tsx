import type { Operator } from "@tollgate/proto/tollgate/v1/operator";
import { useSignOut } from "../calls/use-sign-out.ts";
import { Entrance } from "../screens/sign-in/entrance.tsx";
import { Button } from "../ui/button.tsx";
import { useOpen } from "../ui/use-open.ts";
import { SecondFactorDialog } from "./second-factor-dialog.tsx";

interface Props {
  operator: Operator;
  /** Called when the dialog opens, and when it closes: its last step shows the recovery codes. */
  onOpen: () => void;
  onClose: () => void;
}

/** Asks for a second factor that must be set up before anything else. */
export function RequiredFactor({ operator, onOpen, onClose }: Props) {
  const dialog = useOpen();
  const signOut = useSignOut();
  return (
    <Entrance title="Set up a second factor">
      <p>
        A second factor is required here: a code that an authenticator app shows, at each sign-in.
      </p>
      <Button
        look="primary"
        onClick={() => {
          onOpen();
          dialog.open();
        }}
      >
        Set up
      </Button>
      <Button disabled={signOut.isPending} onClick={() => signOut.mutate({})}>
        Sign out
      </Button>
      {dialog.isOpen && (
        <SecondFactorDialog
          key={dialog.key}
          operator={operator}
          onClose={() => {
            dialog.close();
            onClose();
          }}
        />
      )}
    </Entrance>
  );
}
