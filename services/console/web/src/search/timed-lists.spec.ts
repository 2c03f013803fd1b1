import { expect, test } from "vitest";
import { readCatalogSearch } from "./catalog-search.ts";
import { readPaymentsSearch } from "./payments-search.ts";
import { readStatementsSearch } from "./statements-search.ts";
import { readWarningsSearch } from "./warnings-search.ts";

test("an address of payments keeps its list and drops a state that does not exist", () => {
  const list = { account: "acct_1", q: "declined", order: "oldest", size: "25", before: "p_1" };
  expect(readPaymentsSearch({ ...list, state: "failed" })).toEqual({ ...list, state: "failed" });
  expect(readPaymentsSearch({ order: "amount" })).toEqual({ order: "amount" });
  expect(readPaymentsSearch({ ...list, state: "gone", order: "name" })).toEqual({
    ...{ account: "acct_1", q: "declined", size: "25", before: "p_1" },
  });
});

test("a page of statements, or of revisions, begins after a number", () => {
  expect(readStatementsSearch({ before: "12" })).toEqual({ before: "12" });
  expect(readStatementsSearch({ before: "12; x" })).toEqual({});
  expect(readCatalogSearch({ revision: "3", before: "x", q: "gpt" })).toEqual({
    ...{ revision: "3", q: "gpt" },
  });
});

test("an address of warnings has its key, and whether they are open", () => {
  expect(readWarningsSearch({ key: "key_1", open: "1" })).toEqual({ key: "key_1", open: true });
});
