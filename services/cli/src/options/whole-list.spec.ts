import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { type RowRules, rowChooser } from "./whole-list.ts";

interface Row {
  name: string;
  balance: bigint;
  seenMs?: number;
}

const rows: Row[] = [
  { name: "bob", balance: 2n },
  { name: "Ada", balance: -7n, seenMs: 1_000 },
  { name: "carol", balance: 30n, seenMs: 2_000 },
];

const rules: RowRules<Row> = {
  texts: ({ name }) => [name],
  orders: {
    name: { text: ({ name }) => name },
    balance: { greatest: ({ balance }) => balance },
    seen: { latest: ({ seenMs }) => (seenMs === undefined ? undefined : timestampFromMs(seenMs)) },
  },
};

test.each([
  [{}, ["Ada", "bob", "carol"]],
  [{ order: "name", search: "A" }, ["Ada", "carol"]],
  [{ order: "balance" }, ["carol", "bob", "Ada"]],
  [{ order: "seen" }, ["carol", "Ada", "bob"]],
  [{ search: "dave" }, []],
])("%j chooses %j", (options, names) => {
  expect(rowChooser(options, rules)(rows).map(({ name }) => name)).toEqual(names);
});

test("an order that the list does not have is refused before its rows are read", () => {
  const message = "--order must be name, balance or seen";
  expect(() => rowChooser({ order: "toString" }, rules)).toThrow(message);
});
