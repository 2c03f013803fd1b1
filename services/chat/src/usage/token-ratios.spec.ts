import { expect, test } from "vitest";
import { TokenRatios } from "./token-ratios.ts";

const slot = { id: "near/model" };

function learnt(...calls: [provider: number, counted: number][]): number {
  const ratios = new TokenRatios();
  for (const [provider, counted] of calls) {
    ratios.isWanted(slot);
    ratios.learn(slot, provider, counted);
  }
  return ratios.of(slot);
}

test("a model's ratio is 1 before its calls are known, and between 0.5 and 2 then", () => {
  expect(learnt()).toBe(1);
  expect(learnt([130, 100], [110, 100])).toBeCloseTo(1.2);
  expect(learnt([9_000, 100])).toBe(2);
  expect(learnt([1, 100])).toBe(0.5);
});

test("short calls consist of what a provider adds, and are not learnt from", () => {
  expect(learnt([20, 10])).toBe(1);
});

test("one call cannot change a ratio much that many have shown", () => {
  const calls = Array.from({ length: 100 }, (): [number, number] => [120, 100]);
  expect(learnt(...calls, [50, 100])).toBeGreaterThan(1.15);
});

test("the first calls are learnt from, and one of 64 later ones", () => {
  const ratios = new TokenRatios();
  const wanted = Array.from({ length: 128 }, () => ratios.isWanted(slot));
  expect(wanted.filter(Boolean)).toHaveLength(8 + 2);
});
