import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";

interface Props {
  slotId: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Makes requests skip a slot. */
export function DisableSlot({ slotId, isOpen, onClose }: Props) {
  const change = useChange(OperatorService.method.updateSlot, { onSuccess: onClose });
  return (
    <Dialog
      title={`Disable ${slotId}?`}
      description="Within seconds, requests of every model that has this slot skip it. A model whose slots are all disabled has no provider."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Disable slot"
        look="danger"
        isBusy={change.isPending}
        error={change.error}
        onSubmit={(values) =>
          change.mutate({ slot: slotId, isDisabled: true, reason: values("reason") })
        }
        onCancel={onClose}
      >
        <Field label="Reason" name="reason" autoComplete="off" maxLength={500} />
      </CallForm>
    </Dialog>
  );
}

/** Makes requests use a slot again. */
export function EnableSlot({ slotId, isOpen, onClose }: Props) {
  const change = useChange(OperatorService.method.updateSlot, { onSuccess: onClose });
  return (
    <Dialog
      title={`Enable ${slotId}?`}
      description="Within seconds, requests use this slot again, in its place of each chain."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Enable slot"
        isBusy={change.isPending}
        error={change.error}
        onSubmit={() => change.mutate({ slot: slotId, isDisabled: false })}
        onCancel={onClose}
      />
    </Dialog>
  );
}
