import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";

interface Props {
  account: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Adds the credit of a code to an account. */
export function RedeemCode({ account, isOpen, onClose }: Props) {
  const redeem = useChange(OperatorService.method.redeemCode, { onSuccess: onClose });
  return (
    <Dialog title="Redeem a code" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Redeem"
        isBusy={redeem.isPending}
        error={redeem.error}
        onSubmit={(values) => redeem.mutate({ account, code: values("code") })}
        onCancel={onClose}
      >
        <Field label="Code" name="code" autoComplete="off" required />
      </CallForm>
    </Dialog>
  );
}
