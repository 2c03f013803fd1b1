import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import { useOpen } from "../../ui/use-open.ts";

/** Removes a stored key that the catalog does not name. */
export function RemoveKey({ name }: { name: string }) {
  const question = useOpen();
  const remove = useChange(OperatorService.method.removeSecret, { onSuccess: question.close });
  return (
    <>
      <Button look="quiet" onClick={question.open} aria-label={`Remove ${name}`}>
        Remove
      </Button>
      <Dialog
        title={`Remove ${name}?`}
        description="Its value cannot be restored."
        isOpen={question.isOpen}
        onClose={question.close}
      >
        <CallForm
          submit="Remove key"
          look="danger"
          isBusy={remove.isPending}
          error={remove.error}
          onSubmit={() => remove.mutate({ name })}
          onCancel={question.close}
        />
      </Dialog>
    </>
  );
}
