import type { Output } from "./command.ts";

interface Page<Row> {
  rows: readonly Row[];
  /** What --before of the next page is. Empty: there are no more. */
  next: string;
  toLines: (rows: readonly Row[]) => readonly string[];
  toJson: (row: Row) => unknown;
}

/** Returns the output of a page of a list. `name` is that of its rows in JSON. */
export function listOutput<Row>(name: string, { rows, next, toLines, toJson }: Page<Row>): Output {
  const hasMore = next !== "";
  const none = hasMore ? "none on this page" : "none";
  return {
    lines: rows.length === 0 ? [none] : toLines(rows),
    json: { [name]: rows.map(toJson), has_more: hasMore, next: hasMore ? next : null },
    next,
  };
}
