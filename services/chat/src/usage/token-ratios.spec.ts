import { expect, test } from "vitest";
import { TokenRatios } from "./token-ratios.ts";

const slot = { id: "near/model" };

function learnt(...calls: [provider: number, counted: number, accountId?: string][]): number {
  const ratios = new TokenRatios();
  for (const [provider, counted, accountId = "a"] of calls) {
    ratios.isWanted(slot);
    ratios.learn(slot, { accountId, provider, counted });
  }
  return ratios.of(slot);
}

test("a model's ratio is 1 before its calls are known, and between 0.5 and 2 then", () => {
  expect(learnt()).toBe(1);
  expect(learnt([1_300, 1_000], [3_300, 3_000])).toBeCloseTo(1.15);
  expect(learnt([90_000, 1_000])).toBe(2);
  expect(learnt([1, 1_000])).toBe(0.5);
});

test("short prompts consist of what a provider adds, and are not learnt from", () => {
  expect(learnt([2_000, 999])).toBe(1);
});

test("one account cannot choose a ratio that others have shown", () => {
  const pushed = Array.from({ length: 100 }, (): [number, number, string] => [9_000, 1_000, "c"]);
  expect(learnt([1_200, 1_000, "a"], [1_300, 1_000, "b"], ...pushed)).toBeCloseTo(1.3);
  expect(learnt([1_200, 1_000, "a"], [1_300, 1_000, "b"])).toBeCloseTo(1.25);
});

test("an account's newer prompts count more than its old ones", () => {
  const old = Array.from({ length: 100 }, (): [number, number] => [15_000, 10_000]);
  const recent = Array.from({ length: 20 }, (): [number, number] => [10_000, 10_000]);
  expect(learnt(...old, ...recent)).toBeLessThan(1.1);
});

test("the first calls are learnt from, and one of 64 later ones", () => {
  const ratios = new TokenRatios();
  const wanted = Array.from({ length: 128 }, () => ratios.isWanted(slot));
  expect(wanted.filter(Boolean)).toHaveLength(8 + 2);
});
