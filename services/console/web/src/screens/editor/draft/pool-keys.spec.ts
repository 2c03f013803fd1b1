import { expect, test } from "vitest";
import { poolEntriesOf, poolKeysOf } from "./pool-keys.ts";

test("the keys of a pool are written as they were read", () => {
  const keys = [{ secret: "main", weight: 3 }, { env: "SECOND_KEY" }];
  expect(poolEntriesOf(poolKeysOf({ keys }))).toEqual(keys);
});

test("a provider with one key becomes a pool that has it", () => {
  expect(poolEntriesOf(poolKeysOf({ secret: "main" }))).toEqual([{ secret: "main" }]);
  expect(poolEntriesOf(poolKeysOf({ api_key_env: "KEY" }))).toEqual([{ env: "KEY" }]);
});
