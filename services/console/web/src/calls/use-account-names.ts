import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useMemo } from "react";
import { useAccess } from "./use-session.ts";

const maxAccounts = 1_000;
const staleTime = 60_000;

/** The newest accounts of the gateway, and the names of others. */
export interface AccountNames {
  /** Returns the name of an account; its id where the name is not known. */
  nameOf(accountId: string): string;
  all: readonly { id: string; name: string }[];
}

/**
 * Reads the names of the newest accounts, and those of the accounts with `ids`, which may be older. A
 * customer has only its own, and no list of them.
 */
export function useAccountNames(ids: readonly string[] = []): AccountNames {
  const { isCustomer } = useAccess();
  const { data } = useQuery(
    OperatorService.method.listAccounts,
    { limit: maxAccounts },
    { staleTime, enabled: !isCustomer },
  );
  const all = useMemo(
    () =>
      (data?.accounts ?? []).flatMap(({ account }) =>
        account === undefined ? [] : [{ id: account.id, name: account.name }],
      ),
    [data],
  );
  const newest = useMemo(() => new Map(all.map(({ id, name }) => [id, name])), [all]);
  const accountIds = [...new Set(ids)].filter((id) => id !== "" && !newest.has(id));
  const older = useQuery(
    OperatorService.method.listAccountNames,
    { accountIds: accountIds.toSorted().slice(0, maxAccounts) },
    { staleTime, enabled: data?.hasMore === true && accountIds.length > 0 },
  );
  const names = older.data?.names ?? {};
  return { all, nameOf: (id) => newest.get(id) ?? names[id] ?? id };
}
