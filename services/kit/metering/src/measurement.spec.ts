import type { Slot } from "@tollgate/catalog/model";
import { expect, test } from "vitest";
import { measureUnits } from "./measurement.ts";

const used = { quantity: 12n, basis: "provider" };
const slotOf = (unitType: string) =>
  ({ pricing: { unitType, input: { picoUsd: 1n, per: 1n } } }) as unknown as Slot;

test("the tokens of embeddings are tokens of the prompt", () => {
  const { tokens } = measureUnits(used, slotOf("tokens"));
  expect(tokens).toEqual({ prompt: 12n, completion: 0n, cachedPrompt: 0n });
});

test("units that are no tokens have none", () => {
  expect(measureUnits(used, slotOf("images")).tokens).toBeUndefined();
});
