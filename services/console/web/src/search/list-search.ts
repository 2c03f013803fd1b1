import { AmountOrder, TimeOrder } from "@tollgate/proto/tollgate/v1/list";
import { KeyOrder } from "@tollgate/proto/tollgate/v1/operator";
import { defined, type RawSearch, readFlag, readOne, readTexts } from "./read.ts";

/** How many rows a page of a list may have. */
export const pageSizes = ["25", "50", "100", "200"] as const;

/** How many it has where the address does not say. */
export const usualPageSize = 50;

/** The orders of lists with their names for people. The first one needs no parameter. */
export const accountOrders = { newest: "Newest first", name: "By name" } as const;
export const keyOrders = { ...accountOrders, used: "Last used first" } as const;

/** Returns the order of keys that an address names. */
export function keyOrderOf(order: string | undefined): KeyOrder {
  if (order === "name") return KeyOrder.NAME;
  return order === "used" ? KeyOrder.LAST_USED : KeyOrder.UNSPECIFIED;
}

/** The orders of lists that are ordered by time. */
export const timeOrders = { newest: "Newest first", oldest: "Oldest first" } as const;

/** The orders of lists that have amounts. */
export const amountOrders = { ...timeOrders, amount: "Largest amount first" } as const;

/** The address of a list: what it searches for, its order, and the page. */
export interface ListSearch<Order extends string> {
  q?: string;
  order?: Order;
  size?: (typeof pageSizes)[number];
  before?: string;
}

/** Returns what an address asks of a list, without what it does not know. */
export function readListSearch<Order extends string>(
  raw: RawSearch,
  orders: Readonly<Record<Order, string>>,
): ListSearch<Order> {
  return {
    ...readTexts(raw, ["q", "before"]),
    ...defined({ order: readOne(raw, "order", Object.keys(orders) as Order[]) }),
    ...readPageSize(raw),
  } as ListSearch<Order>;
}

/** Returns what an address asks of a list whose orders its screen knows. */
export function readWholeListSearch(raw: RawSearch): ListSearch<string> {
  return { ...readTexts(raw, ["q", "order", "before"]), ...readPageSize(raw) };
}

/** Returns what an address asks of Months: the list of accounts in a month (`2026-11`). */
export function readMonthsSearch(raw: RawSearch): ListSearch<string> & { month?: string } {
  return { ...readTexts(raw, ["month"]), ...readWholeListSearch(raw) };
}

/** What a link to another list of the same screen removes from the address. */
export const otherList = { q: undefined, order: undefined } as const;

/** The part of an address that opens the dialog which creates one more of a list. */
export interface CreateSearch {
  create?: true;
}

/** Returns whether an address opens the dialog which creates one more. */
export function readCreate(raw: RawSearch): CreateSearch {
  return defined({ create: readFlag(raw, "create") });
}

/** The address of Accounts. */
export type AccountsSearch = ListSearch<keyof typeof accountOrders> & CreateSearch;

/** Returns what an address asks of Accounts. */
export function readAccountsSearch(raw: RawSearch): AccountsSearch {
  return { ...readListSearch(raw, accountOrders), ...readCreate(raw) };
}

/** The address of Keys. */
export interface KeysSearch extends ListSearch<keyof typeof keyOrders>, CreateSearch {
  account?: string;
}

/** Returns what an address asks of Keys. */
export function readKeysSearch(raw: RawSearch): KeysSearch {
  return {
    ...{ ...readTexts(raw, ["account"]), ...readListSearch(raw, keyOrders) },
    ...readCreate(raw),
  };
}

/** The address of a list that is ordered by time. */
export type TimedListSearch = ListSearch<keyof typeof timeOrders>;

/** Returns what an address asks of a list that is ordered by time. */
export function readTimedListSearch(raw: RawSearch): TimedListSearch {
  return readListSearch(raw, timeOrders);
}

/** Returns what the call of such a list asks for. */
export function timedPageOf(search: ListSearch<string>) {
  return {
    search: search.q ?? "",
    order: search.order === "oldest" ? TimeOrder.OLDEST : TimeOrder.UNSPECIFIED,
    limit: pageSizeOf(search),
  };
}

/** Returns the order of a list that has amounts. */
export function amountOrderOf({ order }: { order?: string }): AmountOrder {
  if (order === "amount") return AmountOrder.LARGEST;
  return order === "oldest" ? AmountOrder.OLDEST : AmountOrder.UNSPECIFIED;
}

/** The part of an address that has the size of a page. */
export type PageSizeSearch = Pick<ListSearch<string>, "size">;

/** Returns the size of a page that an address has. */
export function readPageSize(raw: RawSearch): PageSizeSearch {
  return defined({ size: readOne(raw, "size", pageSizes) });
}

/** Returns how many rows a page has. */
export function pageSizeOf({ size }: { size?: string }): number {
  return size === undefined ? usualPageSize : Number(size);
}
