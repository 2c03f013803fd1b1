import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../calls/use-change.ts";
import { useAccess } from "../calls/use-session.ts";
import { Dialog } from "./dialog.tsx";
import { DoneButton } from "./done-button.tsx";
import { CallForm, Choice } from "./form.tsx";
import { expiryOf, KeyFields, splitList } from "./key-fields.tsx";
import { readLimitFields } from "./limits-fields.tsx";
import { PickerField } from "./picker-field.tsx";
import { SecretText } from "./secret-text.tsx";
import { useFormError } from "./use-form-error.ts";

interface Props {
  /** The account of the key. Empty: it is chosen. */
  account: string;
  isOpen: boolean;
  onClose: () => void;
}

const channels = [
  ["", "Ordinary: calls models"],
  ["settlement", "Settlement: reads charges for a partner"],
] as const;

/** Creates a key and shows its text once. */
export function CreateKey({ account, isOpen, onClose }: Props) {
  const create = useChange(OperatorService.method.createKey);
  const { isCustomer } = useAccess();
  const [submit, problem] = useFormError((values) => {
    const expiresAt = expiryOf(values("expires"));
    create.mutate({
      account: account || values("account"),
      channel: values("channel"),
      name: values("name"),
      owner: values("owner"),
      tags: splitList(values("tags")),
      models: splitList(values("models")),
      limits: readLimitFields(values),
      ...(expiresAt && { expiresAt }),
    });
  });
  if (create.data)
    return (
      <NewKeyText title="Key created" text={create.data.key} isOpen={isOpen} onClose={onClose} />
    );
  return (
    <Dialog title="Create key" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Create key"
        isBusy={create.isPending}
        error={problem ?? create.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        {account === "" && !isCustomer && (
          <PickerField kind="account" label="Account" name="account" />
        )}
        <KeyFields />
        {!isCustomer && <Choice label="Kind" name="channel" options={channels} />}
      </CallForm>
    </Dialog>
  );
}

/** The text of a key that was created or rotated. */
export function NewKeyText(props: {
  title: string;
  text: string;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <SecretText text={props.text} what="key" />
      <DoneButton onClick={props.onClose} />
    </Dialog>
  );
}
