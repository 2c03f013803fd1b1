import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { NewKeyText } from "../../ui/create-key.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Choice } from "../../ui/form.tsx";
import type { KeyDialog } from "./key-dialog.ts";

const graces = [
  ["3600", "For 1 hour"],
  ["86400", "For 1 day"],
  ["604800", "For 7 days"],
  ["0", "Not at all"],
] as const;

/** Gives a key a new text, which is shown once. */
export function RotateKey({ of: key, isOpen, onClose }: KeyDialog) {
  const rotate = useChange(OperatorService.method.rotateKey);
  if (rotate.data) {
    return (
      <NewKeyText title="Key rotated" text={rotate.data.key} isOpen={isOpen} onClose={onClose} />
    );
  }
  return (
    <Dialog
      title="Rotate key"
      description="The key gets a new text. Its id, limits and usage stay the same."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Rotate key"
        isBusy={rotate.isPending}
        error={rotate.error}
        onSubmit={(values) => {
          rotate.mutate({ keyId: key.id, graceSeconds: Number(values("grace")) });
        }}
        onCancel={onClose}
      >
        <Choice label="The present text remains valid" name="grace" options={graces} />
      </CallForm>
    </Dialog>
  );
}
