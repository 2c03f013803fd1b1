import { useQuery } from "@connectrpc/connect-query";
import { KeyOrder, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "./use-session.ts";

/** What can be picked. */
export type PickerKind = "account" | "key" | "model";

export interface PickerOption {
  /** The id of an account or a key, or an alias. */
  value: string;
  text: string;
  /** Shown beside the text, to distinguish options with the same text. */
  note: string;
}

interface Found {
  options: readonly PickerOption[];
  /** Whether the options are not yet those of the search. */
  isPending: boolean;
  error: unknown;
}

interface Search {
  search: string;
  /** Only keys of this account. Empty: of every account. */
  account: string;
  isEnabled: boolean;
}

const mostOptions = 20;
const staleTime = 60_000;

/** Searches accounts and keys on the server, and the aliases of the catalog, which come as a whole. */
export function usePickerOptions(kind: PickerKind, wanted: Search): Found {
  const { search, account, isEnabled } = wanted;
  const { isCustomer } = useAccess();
  const isOf = (one: PickerKind) => isEnabled && kind === one;
  const kept = { staleTime, placeholderData: <Data>(previous: Data | undefined) => previous };
  const { listAccountNames, listKeys, listModels, listPrices } = OperatorService.method;
  const accounts = useQuery(
    listAccountNames,
    { search },
    { ...kept, enabled: isOf("account") && !isCustomer },
  );
  const keys = useQuery(
    listKeys,
    { account, search, order: KeyOrder.NAME, limit: mostOptions },
    { ...kept, enabled: isOf("key") },
  );
  const models = useQuery(listModels, {}, { staleTime, enabled: isOf("model") && !isCustomer });
  const prices = useQuery(
    listPrices,
    { account: "" },
    { staleTime, enabled: isOf("model") && isCustomer },
  );
  if (kind === "account") {
    const found = Object.entries(accounts.data?.names ?? {});
    const options = found.map(([id, name]) => ({ value: id, text: name, note: id }));
    return resultOf(accounts, options.toSorted(byText));
  }
  if (kind === "key") {
    const options = (keys.data?.keys ?? []).map(({ id, name, shownKey, accountId }) => {
      const accountName = account === "" && !isCustomer ? keys.data?.names[accountId] : undefined;
      const note = [name && shownKey, accountName].filter(Boolean).join(" · ");
      return { value: id, text: name || shownKey, note };
    });
    return resultOf(keys, options);
  }
  const catalog = isCustomer ? prices : models;
  const options = (catalog.data?.models ?? [])
    .filter(({ alias }) => alias.toLowerCase().includes(search.toLowerCase()))
    .map(({ alias, routeType }) => ({ value: alias, text: alias, note: routeType }))
    .toSorted((left, right) => Number(right.value === search) - Number(left.value === search));
  return resultOf(catalog, options);
}

function resultOf(
  query: { isPlaceholderData: boolean; isPending: boolean; isFetching: boolean; error: unknown },
  options: PickerOption[],
): Found {
  const isPending = query.isPlaceholderData || (query.isPending && query.isFetching);
  return { options: options.slice(0, mostOptions), isPending, error: query.error };
}

function byText(left: PickerOption, right: PickerOption): number {
  return left.text.localeCompare(right.text);
}
