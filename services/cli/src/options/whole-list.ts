import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { CommandOptions } from "../commands/command.ts";
import { readOrder } from "./list-options.ts";

/** The options of lists that one response has as a whole. */
export const wholeListOptions = ["search", "order"] as const;

/** By what rows are ordered: a text, from A to Z, or a number or time, the greatest first. */
export type RowSorting<Row> =
  | { text: (row: Row) => string }
  | { greatest: (row: Row) => number | bigint | undefined }
  | { latest: (row: Row) => Timestamp | undefined };

/** How a list that one response has as a whole is searched and ordered. */
export interface RowRules<Row> {
  /** What a search looks at. */
  texts: (row: Row) => readonly string[];
  /** By their names. The first one is that of the list without --order. */
  orders: Readonly<Record<string, RowSorting<Row>>>;
}

/**
 * Returns a function that filters rows by --search, in any case of its letters, and sorts them by --order. Throws a
 * UsageError that lists the orders.
 */
export function rowChooser<Row>(
  options: Pick<CommandOptions, "search" | "order">,
  { texts, orders }: RowRules<Row>,
): (rows: readonly Row[]) => Row[] {
  const order = readOrder(options, orders);
  const wanted = options.search?.toLowerCase() ?? "";
  const matches = (row: Row) => texts(row).some((text) => text.toLowerCase().includes(wanted));
  return (rows) => rows.filter(matches).sort((one, other) => compare(order, one, other));
}

/** What has no number or time is last. */
function compare<Row>(order: RowSorting<Row>, one: Row, other: Row): number {
  if ("text" in order) return order.text(one).localeCompare(order.text(other));
  const rank = "greatest" in order ? order.greatest : (row: Row) => timeOf(order.latest(row));
  const [left, right] = [rank(one), rank(other)];
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined);
  }
  return left === right ? 0 : left > right ? -1 : 1;
}

function timeOf(timestamp: Timestamp | undefined): number | undefined {
  return timestamp && timestampDate(timestamp).getTime();
}
