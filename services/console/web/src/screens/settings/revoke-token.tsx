import { OperatorService, type OperatorToken } from "@tollgate/proto/tollgate/v1/operator";
import { ConfirmedButton } from "../../ui/confirmed-button.tsx";

/** Revokes an operator token. */
export function RevokeToken({ token: { id, name } }: { token: OperatorToken }) {
  return (
    <ConfirmedButton
      method={OperatorService.method.revokeOperatorToken}
      request={{ tokenId: id }}
      verb="Revoke"
      name={name}
      description="Calls with it are refused from now on. A revoked token cannot be restored."
      submit="Revoke token"
    />
  );
}
