import { expect, test } from "vitest";
import { pricesText } from "./price-text.ts";

test("prices are for their units, and those of tools for a call", () => {
  const tokens = { input: "0.15", cached_input: "0.075", "tool:web_search": "0.01" };
  expect(pricesText(tokens)).toBe(
    "input $0.15, cached input $0.075 per 1M, web search $0.01 a call",
  );
  expect(pricesText({ per: 1, price: "0.04" })).toBe("$0.04 each");
  expect(pricesText({ per: 1_000, input: "1", output: "2", tiers: [{}] })).toBe(
    "input $1, output $2 per 1,000, more for long prompts",
  );
});

test("what has no prices says so", () => {
  expect([pricesText(undefined), pricesText({ per: 1 }), pricesText("1")]).toEqual([
    ...["no prices", "no prices", "no prices"],
  ]);
});
