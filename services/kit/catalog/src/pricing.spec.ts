import type { Price } from "@tollgate/core/money";
import { expect, test } from "vitest";
import type { Pricing } from "./model.ts";
import { highestPrices, priceOf, pricesAt } from "./pricing.ts";

const at = (picoUsd: number): Price => ({ picoUsd: BigInt(picoUsd), per: 1_000_000n });

const plain: Pricing = { unitType: "tokens", input: at(3), output: at(15) };
const tiered: Pricing = {
  ...plain,
  cached_input: at(1),
  cache_write: at(4),
  tiers: [
    { aboveInputTokens: 100n, input: at(6), output: at(20) },
    { aboveInputTokens: 200n, input: at(5), cache_write: at(7), output: at(30), reasoning: at(40) },
  ],
};

test("an unpriced dimension costs what its parent does", () => {
  const prices = (pricing: Pricing) =>
    (
      [
        "cached_input",
        "cache_write",
        "cache_write_1h",
        "audio_input",
        "reasoning",
        "audio_output",
      ] as const
    ).map((dimension) => Number(priceOf(pricing, dimension).picoUsd));
  expect(prices(plain)).toEqual([3, 3, 3, 3, 15, 15]);
  expect(prices(tiered)).toEqual([1, 4, 4, 3, 15, 15]);
  // What is written to a cache costs more than what is read from it.
  expect(prices({ ...plain, cached_input: at(1) })).toEqual([1, 3, 3, 3, 15, 15]);
  const own = { cache_write_1h: at(6), audio_input: at(40), audio_output: at(80) };
  expect(prices({ ...plain, ...own, reasoning: at(0) })).toEqual([3, 3, 6, 40, 0, 80]);
  expect(priceOf({ input: at(3) }, "audio_output")).toEqual(at(3));
});

test("a tier replaces all prices of a request whose prompt is longer", () => {
  const inputAt = (promptTokens: bigint) => pricesAt(tiered, promptTokens).input;
  expect([0n, 100n, 101n, 200n, 201n].map(inputAt)).toEqual([at(3), at(3), at(6), at(6), at(5)]);
  // The tier has no price of its own for cached tokens: they cost what its input does.
  expect(priceOf(pricesAt(tiered, 101n), "cached_input")).toEqual(at(6));
  expect(pricesAt(plain, 10n ** 9n)).toBe(plain);
});

test("the highest prices are those of any dimension, in every tier that a prompt can reach", () => {
  expect(highestPrices(plain, 10n ** 9n)).toEqual({ input: at(3), output: at(15) });
  expect(highestPrices(tiered, 100n)).toEqual({ input: at(4), output: at(15) });
  expect(highestPrices(tiered, 101n)).toEqual({ input: at(6), output: at(20) });
  expect(highestPrices(tiered, 201n)).toEqual({ input: at(7), output: at(40) });
  const audio = { ...plain, audio_input: at(40), audio_output: at(80), cached_input: at(50) };
  expect(highestPrices(audio, 0n)).toEqual({ input: at(50), output: at(80) });
  expect(highestPrices({ unitType: "tokens", input: at(3) }, 1n)).toEqual({ input: at(3) });
});

test("prices of different units are compared as prices of one", () => {
  const perThousand = { picoUsd: 1n, per: 1_000n };
  expect(highestPrices({ ...plain, cache_write: perThousand }, 1n).input).toBe(perThousand);
});
