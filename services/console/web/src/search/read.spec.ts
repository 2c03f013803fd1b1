import { expect, test } from "vitest";
import { parseSearch, stringifySearch } from "./read.ts";
import { readRequestsSearch } from "./requests-search.ts";

test("filters survive the way into an address and back", () => {
  const search = { account: "Acme & Co", failed: true, before: "18446744073709551615" } as const;
  const query = stringifySearch(search);
  expect(query).toBe("?account=Acme+%26+Co&failed=1&before=18446744073709551615");
  expect(readRequestsSearch(parseSearch(query))).toEqual(search);
});

test("what is absent, empty or false is not in the address", () => {
  expect(stringifySearch({ a: undefined, b: "", c: false })).toBe("");
});
