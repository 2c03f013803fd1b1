import { describe, expect, test } from "vitest";
import {
  formatMoney,
  formatMoneyShort,
  formatPico,
  moneyParts,
  moneyPlaces,
  parseMoney,
  plainUsd,
  roundAverage,
} from "./money.ts";

describe("an amount", () => {
  test.each([
    [0n, "$0.00"],
    [123_456n, "$0.000123456"],
    [500_000_000n, "$0.50"],
    [1n, "$0.000000001"],
    [-1_200n, "-$0.0000012"],
    [1_234_567_000_000_000n, "$1,234,567.00"],
    [10n ** 27n + 1n, "$1,000,000,000,000,000,000.000000001"],
  ])("of %s nano-USD is shown exactly, with at least cents", (nano, text) => {
    expect(formatMoney(nano)).toBe(text);
  });

  test.each([
    [12_374_041_428n, 12_370_000_000n],
    [1_009_999_999n, 1_000_000_000n],
    [4_041_428n, 4_041_000n],
    [0n, 0n],
  ])("of %s that is an average is rounded down to %s", (nano, rounded) => {
    expect(roundAverage(nano)).toBe(rounded);
  });

  test("that is added is shown with a plus sign where asked", () => {
    expect(formatMoney(1_000_000_000n, true)).toBe("+$1.00");
    expect(formatMoney(0n, true)).toBe("$0.00");
  });

  test.each([
    ["12.50", 12_500_000_000n],
    ["$1,000", 1_000_000_000_000n],
    [" -0.000001 ", -1_000n],
    [".5", 500_000_000n],
    ["0.000000001", 1n],
  ])("typed as %j is read", (text, nano) => {
    expect(parseMoney(text)).toBe(nano);
  });

  test.each([
    "",
    "-",
    "1.0000000001",
    "1e3",
    "1,00",
    "twelve",
    "$",
    ".",
  ])("typed as %j is refused", (text) => {
    expect(parseMoney(text)).toBeUndefined();
  });

  test("in a file is a plain decimal", () => {
    expect(plainUsd(-1_234_500_000_000n)).toBe("-1234.5");
    expect(plainUsd(100_000_000_000n)).toBe("100");
    expect(plainUsd(7n)).toBe("0.000000007");
  });
});

test("amounts of one column have as many decimals as the most exact of them", () => {
  const amounts = [1_500_000_000n, 123_400n, 0n];
  const places = moneyPlaces(amounts);
  const texts = amounts.map((nano) => {
    const { main, rest } = moneyParts(nano, false, places);
    return main + rest;
  });
  expect(texts).toEqual(["$1.5000000", "$0.0001234", "$0.0000000"]);
  expect(moneyPlaces([10n ** 9n])).toBe(2);
});

test("a price is shown to the pico-dollar", () => {
  expect(formatPico(150_000_000_000n)).toBe("$0.15");
  expect(formatPico(1n)).toBe("$0.000000000001");
});

test("a scale is labelled in a few characters", () => {
  expect(
    [0n, 30_000_000n, 1_500_000_000n, 12_345_000_000_000n, 2n * 10n ** 15n].map(formatMoneyShort),
  ).toEqual(["$0", "$0.03", "$1.5", "$12.3k", "$2M"]);
});
