import { expect, test } from "vitest";
import { readActivitySearch, stepOf } from "./activity-search.ts";
import { rangeOf } from "./period.ts";

test("an address of Activity is read, and what it does not know is left out", () => {
  const raw = { period: "30d", by: "key", step: "week", metric: "tokens", model: "gpt", x: "1" };
  expect(readActivitySearch(raw)).toEqual({
    period: "30d",
    by: "key",
    metric: "tokens",
    model: "gpt",
  });
});

test("the bars of a chart are never too many to see", () => {
  expect(stepOf({}, rangeOf({}, "24h"))).toBe("hour");
  expect(stepOf({}, rangeOf({}, "30d"))).toBe("day");
  expect(stepOf({}, rangeOf({}, "12m"))).toBe("month");
  expect(stepOf({ step: "hour" }, rangeOf({}, "7d"))).toBe("hour");
  expect(stepOf({ step: "hour" }, rangeOf({}, "90d"))).toBe("day");
  expect(stepOf({ step: "hour", by: "user" }, rangeOf({}, "7d"))).toBe("day");
  expect(stepOf({ step: "hour", user: "ada" }, rangeOf({}, "24h"))).toBe("hour");
});
