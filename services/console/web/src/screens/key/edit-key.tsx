import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import { expiryOf, KeyFields, splitList } from "../../ui/key-fields.tsx";
import { readLimitChanges } from "../../ui/limits-fields.tsx";
import { useFormError } from "../../ui/use-form-error.ts";
import type { KeyDialog } from "./key-dialog.ts";

/** Changes a key. Its text stays the same. */
export function EditKey({ of: key, isOpen, onClose }: KeyDialog) {
  const update = useChange(OperatorService.method.updateKey, { onSuccess: onClose });
  const [submit, problem] = useFormError((values) => {
    const expiresAt = expiryOf(values("expires"));
    update.mutate({
      keyId: key.id,
      name: values("name"),
      owner: values("owner"),
      tags: { values: splitList(values("tags")) },
      models: { values: splitList(values("models")) },
      limits: readLimitChanges(values, key.limits?.limits),
      clearsExpiry: expiresAt === undefined && key.expiresAt !== undefined,
      ...(expiresAt && { expiresAt }),
    });
  });
  return (
    <Dialog title="Edit key" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Save"
        isBusy={update.isPending}
        error={problem ?? update.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <KeyFields of={key} />
      </CallForm>
    </Dialog>
  );
}
