import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";

/** The calls about operators, their tokens and what they changed. */
export const operatorCalls = {
  createOperator: notImplemented,
  updateOperator: notImplemented,
  listOperators: notImplemented,
  createSignInLink: notImplemented,
  createOperatorToken: notImplemented,
  listOperatorTokens: notImplemented,
  revokeOperatorToken: notImplemented,
  listAudit: notImplemented,
} satisfies Partial<Implementation<typeof OperatorService>>;

async function notImplemented(): Promise<never> {
  throw new Error("not implemented");
}
