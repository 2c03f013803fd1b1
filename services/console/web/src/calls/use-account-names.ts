import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useMemo } from "react";
import { useAccess } from "./use-session.ts";

const maxAccounts = 1_000;

/** The newest accounts of the gateway: their ids and names. */
export interface AccountNames {
  /** Returns the name of an account; its id where the name is not known. */
  nameOf(accountId: string): string;
  all: readonly { id: string; name: string }[];
}

/** Reads the names of accounts. A customer has only its own, and no list of them. */
export function useAccountNames(): AccountNames {
  const { isCustomer } = useAccess();
  const { data } = useQuery(
    OperatorService.method.listAccounts,
    { limit: maxAccounts },
    { staleTime: 60_000, enabled: !isCustomer },
  );
  return useMemo(() => {
    const all = (data?.accounts ?? []).flatMap(({ account }) =>
      account === undefined ? [] : [{ id: account.id, name: account.name }],
    );
    const names = new Map(all.map(({ id, name }) => [id, name]));
    return { all, nameOf: (id) => names.get(id) ?? id };
  }, [data]);
}
