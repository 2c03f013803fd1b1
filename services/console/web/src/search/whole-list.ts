import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { dateOf } from "../format/time.ts";
import { type ListSearch, pageSizeOf } from "./list-search.ts";

/** An order of a list with its name for people. */
export interface RowOrder<Row> {
  name: string;
  compare: (left: Row, right: Row) => number;
}

/** How a list that the page has as a whole is searched, ordered and divided into pages. */
export interface WholeListRules<Row> {
  idOf: (row: Row) => string;
  /** What a search looks at. */
  textsOf: (row: Row) => readonly string[];
  /** By their names in the address. The first one needs none. */
  orders: Readonly<Record<string, RowOrder<Row>>>;
}

/** Returns the rows of the page that an address names, and the row after which the next page begins. */
export function pageOfRows<Row>(
  rows: readonly Row[],
  search: ListSearch<string>,
  { idOf, textsOf, orders }: WholeListRules<Row>,
): { rows: readonly Row[]; next: string | undefined } {
  const wanted = search.q?.toLowerCase() ?? "";
  const order = orderOf(orders, search.order);
  const found = rows
    .filter((row) => textsOf(row).some((text) => text.toLowerCase().includes(wanted)))
    .toSorted((left, right) => order?.compare(left, right) ?? 0);
  const first = found.findIndex((row) => idOf(row) === search.before) + 1;
  const last = first + pageSizeOf(search);
  const page = found.slice(first, last);
  const end = page.at(-1);
  return { rows: page, next: found.length > last && end ? idOf(end) : undefined };
}

/** Compares texts as people read them. */
export function byText<Row>(textOf: (row: Row) => string): RowOrder<Row>["compare"] {
  return (left, right) => textOf(left).localeCompare(textOf(right));
}

/** Compares numbers, the greatest first. What has none is last. */
export function byMost<Row>(
  numberOf: (row: Row) => number | bigint | undefined,
): RowOrder<Row>["compare"] {
  return (left, right) => {
    const [a, b] = [numberOf(left), numberOf(right)];
    if (a === undefined || b === undefined)
      return Number(a === undefined) - Number(b === undefined);
    return a === b ? 0 : a > b ? -1 : 1;
  };
}

/** Compares times, the latest first. What has none is last. */
export function byLatest<Row>(
  timeOf: (row: Row) => Timestamp | undefined,
): RowOrder<Row>["compare"] {
  return byMost((row) => dateOf(timeOf(row))?.getTime());
}

function orderOf<Row>(
  orders: WholeListRules<Row>["orders"],
  name: string | undefined,
): RowOrder<Row> | undefined {
  return (name !== undefined && orders[name]) || Object.values(orders)[0];
}
