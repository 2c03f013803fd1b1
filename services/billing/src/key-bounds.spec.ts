import { create } from "@bufbuild/protobuf";
import type { Catalog } from "@tollgate/catalog/model";
import { BudgetPeriod, LimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import { expect, test } from "vitest";
import { limitsWithin, modelsWithin } from "./key-bounds.ts";

const monthly = (amountNanoUsd: bigint) => ({ amountNanoUsd, period: BudgetPeriod.MONTH });
const refused = expect.objectContaining({ code: "invalid_param" });

test("limits are at most the highest, and those of the bounds where a key has none", () => {
  const ofUsers = { budgetPerUser: monthly(2n), requestsPerMinutePerUser: 5 };
  const own = { budget: monthly(10n), requestsPerMinute: 60 };
  const highest = create(LimitsSchema, { ...own, ...ofUsers });
  const within = limitsWithin(create(LimitsSchema, { requestsPerMinute: 5, parallel: 2 }), highest);
  expect(within).toMatchObject({
    budget: monthly(10n),
    requestsPerMinute: 5,
    parallel: 2,
    ...ofUsers,
  });
  expect(within.tokensPerMinute).toBeUndefined();
  for (const limits of [
    { requestsPerMinute: 61 },
    { budget: monthly(11n) },
    { budgetPerUser: monthly(3n) },
    { requestsPerMinutePerUser: 6 },
    { budget: { amountNanoUsd: 1n, period: BudgetPeriod.DAY } },
  ]) {
    expect(() => limitsWithin(create(LimitsSchema, limits), highest)).toThrow(refused);
  }
  expect(limitsWithin(undefined, undefined)).toEqual(create(LimitsSchema));
});

test("a key of a member names models of the bounds, and no unlisted one without them", () => {
  const models = new Map([
    ["fast", { visibility: "public" }],
    ["beta", { visibility: "unlisted" }],
  ]);
  const catalog = { models } as unknown as Catalog;
  const within = (wanted: string[], bounds: string[] = []) => modelsWithin(wanted, bounds, catalog);
  expect(within([])).toEqual([]);
  expect(within(["fast", "f*"])).toEqual(["fast", "f*"]);
  for (const wanted of ["beta", "unknown"]) expect(() => within([wanted])).toThrow(refused);
  const bounds = ["beta", "f*"];
  expect(within([], bounds)).toEqual(bounds);
  expect(within(["beta", "fast", "f*"], bounds)).toEqual(["beta", "fast", "f*"]);
  expect(() => within(["*"], bounds)).toThrow(refused);
  expect(() => within(["beta"], ["b*"])).toThrow(refused);
});
