import { expect, test } from "vitest";
import { exactAmount, exactCost } from "./exact-cost.ts";

const line = (quantity: bigint, pricePicoUsd: bigint, per: bigint) => ({
  quantity,
  pricePicoUsd,
  per,
});

test("the amount of a line is its quantity times its price, exactly", () => {
  const amount = exactAmount(line(1_234n, 275_000_000_000n, 1_000_000n));
  expect(amount).toEqual({ pico: 339_350_000n, isExact: true });
  expect(exactAmount(line(1n, 1n, 3n))).toEqual({ pico: 0n, isExact: false });
});

test("lines of different units sum exactly, and the rest is the rounding up", () => {
  const lines = [line(1_234n, 275_000_000_000n, 1_000_000n), line(1n, 1_000_000n, 3n)];
  expect(exactCost(lines, 340_000n)).toEqual({
    sum: { pico: 339_683_333n, isExact: false },
    difference: { pico: 316_666n, isExact: false },
    isRounding: true,
  });
});

test("a cost below the sum of the lines is not called rounding", () => {
  const lines = [line(2n, 1_000_000_000n, 1n)];
  expect(exactCost(lines, 1_000_000n)).toMatchObject({ isRounding: false });
});
