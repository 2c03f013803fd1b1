import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { implementAccounts } from "./accounts.ts";
import { implementKeys } from "./keys.ts";
import { implementLedger } from "./ledger.ts";
import { operatorCalls } from "./operators.ts";
import type { OperatorParts } from "./parts.ts";
import { requestCalls } from "./requests.ts";
import { implementWallets } from "./wallets.ts";

/** Returns the implementation of the operator's commands. */
export function implementOperator(parts: OperatorParts): Implementation<typeof OperatorService> {
  return {
    ...implementAccounts(parts),
    ...implementKeys(parts),
    ...implementWallets(parts),
    ...implementLedger(parts),
    ...requestCalls,
    ...operatorCalls,
  };
}
