import { useAccountNames } from "./use-account-names.ts";
import { useAccess } from "./use-session.ts";

/** The account that pays for requests which a screen makes or shows. */
export interface PayingAccount {
  /** Empty: the own account of a customer, or there is none. */
  account: string;
  /** The accounts to choose from. A customer has none. */
  all: readonly { id: string; name: string }[];
  /** Whether an operator has no account to choose yet. */
  isMissing: boolean;
}

/** Returns the account that an operator has chosen, or the newest one; of a customer, its own. */
export function usePayingAccount(chosen: string): PayingAccount {
  const { isCustomer } = useAccess();
  const { all, nameOf } = useAccountNames([chosen]);
  if (isCustomer) return { account: "", all: [], isMissing: false };
  const account = chosen || (all[0]?.id ?? "");
  const isListed = all.some(({ id }) => id === account) || account === "";
  const listed = isListed ? all : [{ id: account, name: nameOf(account) }, ...all];
  return { account, all: listed, isMissing: account === "" };
}
