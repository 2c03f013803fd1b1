import { expect, test } from "vitest";
import { requestsOf } from "./requests-of.ts";

test("the requests of a member have it, and those of none have none", () => {
  const table = { q: "pro", order: "requests", size: "25", before: "x" } as const;
  const search = { by: "plan", metric: "tokens", key: "key_1", period: "7d", ...table } as const;
  const filters = { key: "key_1", period: "7d" };
  expect(requestsOf(search, {})).toEqual(filters);
  expect(requestsOf(search, { plan: "pro" })).toEqual({ ...filters, plan: "pro" });
  expect(requestsOf(search, { plan: "" })).toEqual({ ...filters, none: "plan" });
});

test("what Activity has none of is kept, and a member of the second dimension is another filter", () => {
  const search = { none: "tag" };
  const found = requestsOf(search, { plan: "", model: "fast" });
  expect(found).toEqual({ period: "30d", none: "plan,tag", model: "fast" });
});

test("requests are not found by what they always have", () => {
  expect(requestsOf({}, { account: "" })).toBeUndefined();
  expect(requestsOf({}, { user: "", model: "fast" })).toBeUndefined();
});
