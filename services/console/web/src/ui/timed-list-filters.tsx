import type { ReactNode } from "react";
import { type ListSearch, timeOrders } from "../search/list-search.ts";
import { OrderChoice } from "./order-choice.tsx";
import { SearchBox } from "./search-box.tsx";

interface Props {
  /** What is searched. */
  label: string;
  search: ListSearch<string>;
  /** Where the list has others than those of its times. */
  orders?: Readonly<Record<string, string>>;
  /** Further filters. */
  children?: ReactNode;
}

/** The search, the filters and the order of a list that is ordered by time. */
export function TimedListFilters({ label, search, orders = timeOrders, children }: Props) {
  return (
    <div className="filters">
      <SearchBox label={label} q={search.q} />
      {children}
      <OrderChoice orders={orders} order={search.order} />
    </div>
  );
}
