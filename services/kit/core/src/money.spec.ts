import fc from "fast-check";
import { expect, test } from "vitest";
import {
  costOf,
  divideCost,
  exactUsdJson,
  formatPicoUsd,
  formatUsd,
  minOf,
  nanoCostOf,
  type Price,
  parsePicoUsd,
  parseUsd,
  unitsFor,
  usdJson,
} from "./money.ts";

const price: fc.Arbitrary<Price> = fc.record({
  picoUsd: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  per: fc.constantFrom(1n, 1_000n, 1_000_000n),
});
const line = fc.record({ quantity: fc.bigInt({ min: 0n, max: 10n ** 9n }), price });
const amount = fc.bigInt({ min: 0n, max: 10n ** 18n });

/** A millionth of a pico-USD: in this unit, every price per unit is a whole number. */
const finePerNano = 1_000_000_000n;
const microInFine = 1_000n * finePerNano;

function exactSum(lines: readonly { quantity: bigint; price: Price }[]): bigint {
  return lines.reduce(
    (sum, { quantity, price: { picoUsd, per } }) => sum + quantity * picoUsd * (1_000_000n / per),
    0n,
  );
}

test("a cost is whole micro-USD, never below the exact sum and less than one micro above", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
      const cost = costOf(lines);
      const above = cost * finePerNano - exactSum(lines);
      expect(cost % 1_000n).toBe(0n);
      expect(above >= 0n && above < microInFine).toBe(true);
    }),
  );
});

test("the sum of all lines is rounded once", () => {
  const tenthOfMicro = { quantity: 1n, price: { picoUsd: 100_000n, per: 1n } };
  expect(costOf([tenthOfMicro, tenthOfMicro, tenthOfMicro])).toBe(1_000n);
  expect(costOf([])).toBe(0n);
});

test("the amounts of the lines sum to the cost, and each is its own share or a little more", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), amount, (lines, limit) => {
      const { cost, amounts } = divideCost(lines, limit);
      expect(cost).toBe(minOf(costOf(lines), limit));
      expect(amounts).toHaveLength(lines.length);
      expect(amounts.reduce((sum, one) => sum + one, 0n)).toBe(lines.length === 0 ? 0n : cost);
      const most = lines.map((one) => exactSum([one])).reduce((a, b) => (a > b ? a : b), 0n);
      for (const [index, one] of lines.entries()) {
        const above = (amounts[index] ?? 0n) * finePerNano - exactSum([one]);
        expect(above).toBeLessThan(microInFine + BigInt(lines.length) * finePerNano);
        // Only the rounding of a sum, which the most expensive line has, and a limit move an amount.
        if (cost < limit) expect(above).toBeGreaterThan(-finePerNano);
        if (above > 0n) expect(most - exactSum([one])).toBeLessThan(finePerNano);
      }
    }),
  );
});

test("a line that costs nothing has no part of the rounding", () => {
  const free = { quantity: 3n, price: { picoUsd: 0n, per: 1n } };
  const tiny = { quantity: 1n, price: { picoUsd: 1n, per: 1_000_000n } };
  expect(divideCost([free, tiny, free], 10n ** 18n)).toEqual({
    cost: 1_000n,
    amounts: [0n, 1_000n, 0n],
  });
});

test("a negative quantity is a bug, not a refund", () => {
  const refund = { quantity: -1n, price: { picoUsd: 1n, per: 1n } };
  expect(() => costOf([refund])).toThrow(RangeError);
});

test("a budget of whole micro-USD pays for its units, and not for one more", () => {
  const budget = fc.bigInt({ min: 0n, max: 10n ** 12n }).map((micro) => micro * 1_000n);
  const priced = price.filter(({ picoUsd }) => picoUsd > 0n);
  fc.assert(
    fc.property(budget, priced, (available, unitPrice) => {
      const units = unitsFor(available, unitPrice);
      expect(costOf([{ quantity: units, price: unitPrice }])).toBeLessThanOrEqual(available);
      expect(costOf([{ quantity: units + 1n, price: unitPrice }])).toBeGreaterThan(available);
    }),
  );
});

test("a negative budget pays for nothing, and a free unit has no limit", () => {
  expect(unitsFor(-1_000n, { picoUsd: 1n, per: 1n })).toBe(0n);
  expect(() => unitsFor(1_000n, { picoUsd: 0n, per: 1n })).toThrow(RangeError);
});

test("an amount of whole micro-USD survives formatting and parsing", () => {
  const written = amount.map((micro) => micro * 1_000n).filter((nano) => nano < 10n ** 21n);
  fc.assert(
    fc.property(written, (nano) => {
      expect(parseUsd(formatUsd(nano))).toBe(nano);
      expect(parsePicoUsd(formatUsd(nano))).toBe(nano * 1_000n);
    }),
  );
});

test("a price is parsed exactly, to twelve decimals", () => {
  const decimal = fc.tuple(
    fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }),
    fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }),
  );
  fc.assert(
    fc.property(decimal, ([whole, pico]) => {
      const text = `${whole}.${pico.toString().padStart(12, "0")}`;
      expect(parsePicoUsd(text)).toBe(whole * 10n ** 12n + pico);
      expect(parsePicoUsd(formatPicoUsd(whole * 10n ** 12n + pico))).toBe(
        whole * 10n ** 12n + pico,
      );
    }),
  );
  expect(parsePicoUsd("0.15")).toBe(150_000_000_000n);
  expect(parsePicoUsd("3")).toBe(3_000_000_000_000n);
  expect([0n, 150_000_000_000n, 3_000_000_000_000n].map(formatPicoUsd)).toEqual(["0", "0.15", "3"]);
});

test.each([
  "",
  "-1",
  "1e3",
  ".5",
  "1.",
  "01",
  "0.1234567890123",
  "1 ",
  "+1",
  "1,5",
  "1000000000000",
])("%j is not a price", (text) => {
  expect(parsePicoUsd(text)).toBeUndefined();
});

test("an amount has at most nine decimals, and further ones only if they are zero", () => {
  expect(parseUsd("0.000000001")).toBe(1n);
  expect(parseUsd("0.0000000010")).toBe(1n);
  expect(parseUsd("0.0000000001")).toBeUndefined();
});

test.each([
  [0n, "0.000000"],
  [120_000n, "0.000120"],
  [1_000_000_000n, "1.000000"],
  [12_345_678_901_000n, "12345.678901"],
  [-120_000n, "-0.000120"],
  [999n, "0.000000"],
])("%d nano-USD are formatted as %s", (nano, text) => {
  expect(formatUsd(nano)).toBe(text);
});

test("a cost in JSON is a number with six decimals", () => {
  expect(JSON.stringify({ cost: usdJson(120_000n) })).toBe('{"cost":0.000120}');
  expect(JSON.stringify({ cost: usdJson(2_500_000_000n) })).toBe('{"cost":2.500000}');
});

test("a part of a cost in JSON is a number with nine decimals", () => {
  const parts = [0n, 1n, 999n, 12_345_678_901n].map(exactUsdJson);
  expect(JSON.stringify(parts)).toBe("[0.000000000,0.000000001,0.000000999,12.345678901]");
});

test("the smaller of two amounts is returned", () => {
  fc.assert(
    fc.property(amount, amount, (left, right) => {
      const least = minOf(left, right);
      expect([left, right]).toContain(least);
      expect(least <= left && least <= right).toBe(true);
    }),
  );
});

test("a cost that nobody is shown is rounded up to a nano-USD, and not to a micro-USD", () => {
  const price = { picoUsd: 50_000_000_000n, per: 1_000_000n };
  expect(nanoCostOf([{ quantity: 10n, price }])).toBe(500n);
  expect(costOf([{ quantity: 10n, price }])).toBe(1_000n);
  const tiny = { picoUsd: 1n, per: 1_000n };
  expect(
    nanoCostOf([
      { quantity: 10n, price },
      { quantity: 1n, price: tiny },
    ]),
  ).toBe(501n);
});
