import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";

interface Props {
  /** The key to replace. Undefined: a new one, whose name is asked for. */
  name?: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Stores a provider's key, or replaces it. */
export function StoreKey({ name, isOpen, onClose }: Props) {
  const store = useChange(OperatorService.method.setSecret, { onSuccess: onClose });
  const isNew = name === undefined;
  return (
    <Dialog
      title={isNew ? "Store a key" : `Replace ${name}`}
      description="It is encrypted, and is not shown again. Requests use it within two seconds."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit={isNew ? "Store key" : "Replace key"}
        isBusy={store.isPending}
        error={store.error}
        onSubmit={(values) =>
          store.mutate({ name: name ?? values("name"), value: values("value") })
        }
        onCancel={onClose}
      >
        {isNew && (
          <Field
            label="Name"
            name="name"
            required
            autoComplete="off"
            spellCheck={false}
            maxLength={63}
            hint="As providers of the catalog name it: small letters, digits, dots, dashes."
          />
        )}
        <Field
          label="Key"
          name="value"
          required
          autoComplete="off"
          spellCheck={false}
          className="mono"
        />
      </CallForm>
    </Dialog>
  );
}
