import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { PickerKind } from "./use-picker-options.ts";
import { useAccess } from "./use-session.ts";

const staleTime = 60_000;

/** Returns the name of an account or a key; its id while the name is not known, and where it has none. */
export function useChosenName(kind: PickerKind, id: string): string {
  const { isCustomer } = useAccess();
  const { listAccountNames, getKey } = OperatorService.method;
  const isAccount = kind === "account" && id !== "" && !isCustomer;
  const accounts = useQuery(
    listAccountNames,
    { accountIds: [id] },
    { staleTime, enabled: isAccount },
  );
  const isKey = kind === "key" && id !== "";
  const { key } = useQuery(getKey, { keyId: id }, { staleTime, enabled: isKey }).data ?? {};
  if (isAccount) return accounts.data?.names[id] ?? id;
  return (isKey && (key?.name || key?.shownKey)) || id;
}
