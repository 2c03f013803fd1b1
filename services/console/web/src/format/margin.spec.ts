import { expect, test } from "vitest";
import { marginOf } from "./margin.ts";

test.each([
  [200n, 150n, "25.0 %", false],
  [3n, 2n, "33.3 %", false],
  [3n, 1n, "66.7 %", false],
  [100n, 100n, "0.0 %", false],
  [100n, 0n, "100.0 %", false],
  [1_000n, 1_005n, "−0.5 %", true],
  [100n, 250n, "−150.0 %", true],
])("of %s, of which the provider gets %s, %s are left", (charged, cost, text, isLoss) => {
  expect(marginOf(charged, cost)).toEqual({ text, isLoss });
});

test("what is free has no margin", () => {
  expect(marginOf(0n, 5n)).toBeUndefined();
});
