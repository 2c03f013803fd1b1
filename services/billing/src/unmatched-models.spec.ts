import type { Catalog } from "@tollgate/catalog/model";
import { expect, test } from "vitest";
import { unmatchedModels } from "./unmatched-models.ts";

test("patterns that allow no model are found", () => {
  const models = new Map([
    ["fast", { alias: "fast", visibility: "public" }],
    ["beta", { alias: "beta", visibility: "unlisted" }],
    ["inner", { alias: "inner", visibility: "internal" }],
  ]);
  const catalog = { models } as unknown as Catalog;
  const patterns = ["f*", "beta", "bet*", "inner", "gpt-5"];
  expect(unmatchedModels(patterns, catalog)).toEqual(["bet*", "inner", "gpt-5"]);
  expect(unmatchedModels([], catalog)).toEqual([]);
});
