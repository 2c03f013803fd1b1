import { expect, test } from "vitest";
import { formatTable, type TableColumn } from "./table.ts";

interface Row {
  name: string;
  count: string;
  note: string;
}

const columns: readonly TableColumn<Row>[] = [
  { title: "NAME", align: "left", cell: ({ name }) => name },
  { title: "COUNT", cell: ({ count }) => count, rank: 2 },
  { title: "NOTE", align: "left", cell: ({ note }) => note, rank: 1 },
];
const rows = [
  { name: "one", count: "1", note: "first" },
  { name: "twelve", count: "12", note: "" },
];

test("columns have one width, and end without spaces", () => {
  expect(formatTable(columns, rows, 80)).toEqual([
    "NAME    COUNT  NOTE",
    "one         1  first",
    "twelve     12",
  ]);
});

test("columns that do not fit are left out, the lowest rank first, and names never", () => {
  expect(formatTable(columns, rows, 20)).toHaveLength(3);
  expect(formatTable(columns, rows, 19)[0]).toBe("NAME    COUNT");
  expect(formatTable(columns, rows, 5)[0]).toBe("NAME");
});

test("a column without content is left out, and a table without rows says so", () => {
  const empty = rows.map((row) => ({ ...row, note: "" }));
  expect(formatTable(columns, empty, 80)[0]).toBe("NAME    COUNT");
  expect(formatTable(columns, [], 80)).toEqual(["none"]);
});

test("a cell with a line break is one line", () => {
  const row = { name: "one\ntwo\r\nthree", count: "1", note: "" };
  expect(formatTable(columns, [row], 80)[1]).toBe("one two three      1");
});
