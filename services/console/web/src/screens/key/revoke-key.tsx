import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import type { KeyDialog } from "./key-dialog.ts";

/** Revokes a key for ever. */
export function RevokeKey({ of: key, isOpen, onClose }: KeyDialog) {
  const revoke = useChange(OperatorService.method.revokeKey, { onSuccess: onClose });
  return (
    <Dialog
      title={`Revoke ${key.name || "this key"}?`}
      description="Requests with it are refused from now on. A revoked key cannot be restored."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Revoke key"
        look="danger"
        isBusy={revoke.isPending}
        error={revoke.error}
        onSubmit={() => revoke.mutate({ keyId: key.id })}
        onCancel={onClose}
      />
    </Dialog>
  );
}
