import { expect, test } from "vitest";
import { byMost, byText, pageOfRows, type WholeListRules } from "./whole-list.ts";

interface Row {
  name: string;
  used?: number;
}

const rows: readonly Row[] = [
  ...Array.from({ length: 30 }, (_, n) => ({ name: `key ${String(n).padStart(2, "0")}` })),
  { name: "Zoe", used: 3 },
  { name: "ada", used: 9 },
];

const rules: WholeListRules<Row> = {
  idOf: ({ name }) => name,
  textsOf: ({ name }) => [name],
  orders: {
    name: { name: "By name", compare: byText(({ name }) => name) },
    used: { name: "Last used first", compare: byMost(({ used }) => used) },
  },
};

const names = (search: object) => {
  const page = pageOfRows(rows, search, rules);
  return { names: page.rows.map(({ name }) => name), next: page.next };
};

test("a list is searched in any case of letters, and is in its first order", () => {
  expect(names({ q: "A" })).toEqual({ names: ["ada"], next: undefined });
  expect(names({}).names.slice(0, 2)).toEqual(["ada", "key 00"]);
  expect(names({ q: "nobody" }).names).toEqual([]);
});

test("rows without a number come after those that have one", () => {
  expect(names({ order: "used" }).names.slice(0, 3)).toEqual(["ada", "Zoe", "key 00"]);
});

test("an order that a list does not have is its first one", () => {
  expect(names({ order: "cost" })).toEqual(names({}));
});

test("pages follow each other without a gap, and the last one has no next", () => {
  const first = names({ size: "25" });
  expect(first.names).toHaveLength(25);
  const second = names({ size: "25", before: first.next });
  expect([...first.names, ...second.names]).toEqual(names({}).names);
  expect(second.next).toBeUndefined();
});
