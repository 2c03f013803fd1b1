import type { ReactNode } from "react";
import type { ListSearch } from "../search/list-search.ts";
import { pageSizeOf } from "../search/list-search.ts";
import { pageOfRows, type WholeListRules } from "../search/whole-list.ts";
import { type DataColumn, DataTable } from "./data-table.tsx";
import type { IconName } from "./icons.tsx";
import { OrderChoice } from "./order-choice.tsx";
import { SearchBox } from "./search-box.tsx";
import { Pager } from "./search-link.tsx";
import { Empty } from "./states.tsx";

interface Props<Row> extends WholeListRules<Row> {
  caption: string;
  columns: readonly DataColumn<Row>[];
  rows: readonly Row[];
  search: ListSearch<string>;
  /** What is searched, for the field. */
  searchLabel: string;
  icon: IconName;
  /** What is shown where there are no rows at all. */
  empty?: ReactNode;
  /** Further filters beside the search. */
  children?: ReactNode;
}

/** A list that the page has as a whole, with its search, order and pages, which are in the address. */
export function WholeList<Row>(props: Props<Row>) {
  const { caption, columns, rows, search, searchLabel, icon, empty, children, ...rules } = props;
  const page = pageOfRows(rows, search, rules);
  if (rows.length === 0 && empty !== undefined) return empty;
  const orders = Object.entries(rules.orders).map(([order, { name }]) => [order, name]);
  return (
    <>
      <div className="filters">
        <SearchBox label={searchLabel} q={search.q} />
        {orders.length > 1 && (
          <OrderChoice orders={Object.fromEntries(orders)} order={search.order} />
        )}
        {children}
      </div>
      {page.rows.length === 0 ? (
        <Empty icon={icon} title="Nothing matches" />
      ) : (
        <DataTable caption={caption} columns={columns} rows={page.rows} idOf={rules.idOf} />
      )}
      <Pager before={search.before} next={page.next} size={pageSizeOf(search)} />
    </>
  );
}
