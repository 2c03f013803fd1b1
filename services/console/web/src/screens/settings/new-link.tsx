import type { SignInLink } from "@tollgate/proto/tollgate/v1/operator";
import { Dialog } from "../../ui/dialog.tsx";
import { SecretText } from "../../ui/secret-text.tsx";
import { Time } from "../../ui/time.tsx";

/** Shows a sign-in link once. */
export function NewLink(props: { link: SignInLink | undefined; onClose: () => void }) {
  const { link, onClose } = props;
  return (
    <Dialog
      title="Sign-in link"
      description={
        <>
          It works once, and expires <Time at={link?.expiresAt} as="relative" />.
        </>
      }
      isOpen={link !== undefined}
      onClose={onClose}
    >
      <SecretText text={`${location.origin}/sign-in#${link?.secret}`} what="link" />
    </Dialog>
  );
}
