import { expect, test } from "vitest";
import { costNamesOf, hasSettings, slotNumbersOf, withCost, withValue } from "./slot-settings.ts";

test("a slot has limits of tokens only where its route counts them", () => {
  const namesOf = (route: string) => slotNumbersOf(route).map(({ name }) => name);
  expect(namesOf("chat")).toContain("tokens_per_minute");
  expect(namesOf("rerank")).not.toContain("tokens_per_minute");
});

test("the costs of a form are the required ones, and those that the slot has", () => {
  expect(costNamesOf("chat", undefined)).toEqual(["input", "output"]);
  expect(costNamesOf("chat", { cached_input: "1", other: "2" })).toEqual([
    ...["input", "cached_input", "output"],
  ]);
});

test("a cost is set, changed and removed, and what has no field stays", () => {
  const set = withCost({ model: "m" }, { name: "price", price: "1.5", per: 1_000 });
  expect(set).toEqual({ model: "m", cost: { per: 1_000, price: "1.5" } });
  expect(withCost(set, { name: "price", price: "", per: 1_000 })).toEqual({ model: "m" });
  const tiers = [{ above_input_tokens: 1 }];
  const long = { cost: { input: "1", tiers } };
  expect(withCost(long, { name: "input", price: "2", per: undefined })).toEqual({
    cost: { input: "2", tiers },
  });
});

test("a setting that is emptied is removed", () => {
  const entry = withValue({ model: "m" }, "weight", 3);
  expect([hasSettings(entry), hasSettings(withValue(entry, "weight", undefined))]).toEqual([
    ...[true, false],
  ]);
});
