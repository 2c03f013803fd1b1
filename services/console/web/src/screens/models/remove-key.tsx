import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { ConfirmedButton } from "../../ui/confirmed-button.tsx";

/** Removes a stored key that the catalog does not name. */
export function RemoveKey({ name }: { name: string }) {
  return (
    <ConfirmedButton
      method={OperatorService.method.removeSecret}
      request={{ name }}
      verb="Remove"
      name={name}
      description="Its value cannot be restored."
      submit="Remove key"
    />
  );
}
