import { expect, test } from "vitest";
import {
  countOf,
  formatChange,
  formatCount,
  formatMs,
  formatQuantity,
  formatShare,
  perText,
} from "./numbers.ts";

test("a count separates its thousands", () => {
  expect(formatCount(12_345_678n)).toBe("12,345,678");
});

test("a time span has a unit that fits it", () => {
  expect([640, 2_412, 65_000].map(formatMs)).toEqual(["640 ms", "2.41 s", "1 min 5 s"]);
});

test("a share is rounded to the nearest tenth of a percent", () => {
  expect(formatShare(2n, 3n)).toBe("66.7 %");
  expect(formatShare(1n, 3n)).toBe("33.3 %");
  expect(formatShare(1n, 2_000n)).toBe("0.1 %");
});

test("a price names its unit", () => {
  expect(perText(1_000_000n, "input")).toBe("/ 1M tokens");
  expect(perText(1_000n, "searches")).toBe("/ 1,000 searches");
  expect(perText(1n, "images")).toBe("/ image");
  expect(perText(1_000n, "tool:web_search")).toBe("/ 1,000 calls");
});

test("a quantity names its unit", () => {
  expect(formatQuantity(8n, "input")).toBe("8 input tokens");
  expect(formatQuantity(1n, "cached_input")).toBe("1 cached input token");
  expect(formatQuantity(1n, "images")).toBe("1 image");
  expect(formatQuantity(2n, "tool:web_search")).toBe("2 calls of web search");
});

test("a share is never rounded to nothing or to all", () => {
  expect(formatShare(1n, 100_000n)).toBe("< 0.1 %");
  expect(formatShare(99_999n, 100_000n)).toBe("> 99.9 %");
  expect(formatShare(0n, 10n)).toBe("0.0 %");
  expect(formatShare(0n, 0n)).toBe("–");
});

test("a noun agrees with its count", () => {
  expect([countOf(1, "key"), countOf(0n, "key"), countOf(2, "entry", "entries")]).toEqual([
    "1 key",
    "0 keys",
    "2 entries",
  ]);
});

test("a change is a percentage of what was before", () => {
  expect(formatChange(112n, 100n)).toBe("+12 %");
  expect(formatChange(97n, 100n)).toBe("−3 %");
  expect(formatChange(0n, 100n)).toBe("−100 %");
  expect(formatChange(1_000n, 999n)).toBe("±0 %");
  expect(formatChange(5n, 0n)).toBe("new");
  expect(formatChange(0n, 0n)).toBe("–");
});
