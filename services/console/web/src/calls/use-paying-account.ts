import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "./use-session.ts";

/** The account that pays for requests which a screen makes or shows. */
export interface PayingAccount {
  /** Empty: the own account of a customer, or there is none. */
  account: string;
  /** Whether an operator has no account to choose yet. */
  isMissing: boolean;
}

/** Returns the account that an operator has chosen, or the newest one; of a customer, its own. */
export function usePayingAccount(chosen: string): PayingAccount {
  const { isCustomer } = useAccess();
  const newest = useQuery(
    OperatorService.method.listAccounts,
    { limit: 1 },
    { enabled: !isCustomer && chosen === "" },
  );
  if (isCustomer) return { account: "", isMissing: false };
  const account = chosen || (newest.data?.accounts[0]?.account?.id ?? "");
  return { account, isMissing: account === "" };
}
