import { expect, test } from "vitest";
import { multiply, shiftPoint } from "./decimal.ts";

test.each([
  [1.5e-7, 6, "0.15"],
  [0.00000015, 6, "0.15"],
  [3e-6, 6, "3"],
  [1.25e-6, 6, "1.25"],
  [0.04, 0, "0.04"],
  [120, 0, "120"],
  [0, 6, "0"],
  ["1e-10", 6, "0.0001"],
  [1.2345e3, -6, "0.0012345"],
])("%s moved by %s places is %s", (value, places, text) => {
  expect(shiftPoint(value, places)).toBe(text);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "a lot"])("%s is refused", (value) => {
  expect(() => shiftPoint(value, 0)).toThrow(RangeError);
});

test("products are exact, which floats are not", () => {
  expect(multiply(0.075, 2)).toBe("0.15");
  expect(multiply(1.1, 1.1)).toBe("1.21");
  expect(multiply(37.5, 5)).toBe("187.5");
});
