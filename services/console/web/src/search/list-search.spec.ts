import { expect, test } from "vitest";
import { pageSizeOf } from "./list-search.ts";
import { readRefusalsSearch } from "./refusals-search.ts";
import { readRequestsSearch } from "./requests-search.ts";
import { readSettingsSearch } from "./tab-search.ts";

test.each([
  ["requests", readRequestsSearch],
  ["refused requests", readRefusalsSearch],
  ["the audit log", readSettingsSearch],
] as const)("the address of %s has the size of its pages, of those that can be chosen", (_name, read) => {
  expect(pageSizeOf(read({ size: "200" }))).toBe(200);
  expect(pageSizeOf(read({}))).toBe(50);
  expect(read({ size: "100000" })).toEqual({});
});
