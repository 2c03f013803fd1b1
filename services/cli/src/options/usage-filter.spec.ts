import { expect, test } from "vitest";
import { usageFilterOfOptions } from "./usage-filter.ts";

test("one tag filters usage, and a second one is refused", () => {
  expect(usageFilterOfOptions({ tag: ["team:a"] })).toMatchObject({ tag: "team:a" });
  const read = () => usageFilterOfOptions({ tag: ["team:a", "team:b"] });
  expect(read).toThrow("usage is filtered by one --tag");
});
