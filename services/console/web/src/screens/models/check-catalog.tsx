import { useMutation } from "@connectrpc/connect-query";
import type { CheckCatalogResponse } from "@tollgate/proto/tollgate/v1/model";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useId } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";

/** Checks the text of a catalog file. Nothing is changed. */
export function CheckCatalog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const check = useMutation(OperatorService.method.checkCatalog);
  const id = useId();
  return (
    <Dialog
      title="Check a catalog"
      description="Finds what is wrong with a catalog file before the gateway reads it."
      isOpen={isOpen}
      onClose={onClose}
    >
      <CallForm
        submit="Check"
        isBusy={check.isPending}
        error={check.error}
        onSubmit={(values) => check.mutate({ text: values("text") })}
        onCancel={onClose}
      >
        <div className="field">
          <label htmlFor={id}>Catalog (YAML)</label>
          <textarea id={id} name="text" rows={12} className="mono" required spellCheck={false} />
        </div>
        {check.data && <Findings found={check.data} />}
      </CallForm>
    </Dialog>
  );
}

function Findings({ found: { errors, warnings } }: { found: CheckCatalogResponse }) {
  return (
    <div role="status" className="form">
      {errors.length === 0 && (
        <p className="notice good">
          <Icon name="check" />
          The catalog is valid.
        </p>
      )}
      {errors.map((error) => (
        <p key={error} className="form-error">
          {error}
        </p>
      ))}
      {warnings.map((warning) => (
        <p key={warning} className="notice">
          <Icon name="alert" />
          {warning}
        </p>
      ))}
    </div>
  );
}
