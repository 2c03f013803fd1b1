import { OperatorService, type OperatorToken } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import { useOpen } from "../../ui/use-open.ts";

/** Revokes an operator token. */
export function RevokeToken({ token }: { token: OperatorToken }) {
  const question = useOpen();
  const revoke = useChange(OperatorService.method.revokeOperatorToken, {
    onSuccess: question.close,
  });
  return (
    <>
      <Button look="quiet" onClick={question.open} aria-label={`Revoke ${token.name}`}>
        Revoke
      </Button>
      <Dialog
        title={`Revoke ${token.name}?`}
        description="Calls with it are refused from now on. A revoked token cannot be restored."
        isOpen={question.isOpen}
        onClose={question.close}
      >
        <CallForm
          submit="Revoke token"
          look="danger"
          isBusy={revoke.isPending}
          error={revoke.error}
          onSubmit={() => revoke.mutate({ tokenId: token.id })}
          onCancel={question.close}
        />
      </Dialog>
    </>
  );
}
