import { create } from "@bufbuild/protobuf";
import { UsageSumSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { stackCharges } from "./stacked-usage.ts";

function bucketsOf(...charges: readonly (bigint | undefined)[]) {
  return charges.map((chargedNanoUsd, day) => ({
    start: new Date(Date.UTC(2026, 10, day + 1)),
    sum: chargedNanoUsd === undefined ? undefined : create(UsageSumSchema, { chargedNanoUsd }),
  }));
}

test("each bar has a part for each model, and one for the others where there are any", () => {
  const named = [
    { name: "gpt-5", buckets: bucketsOf(5n, undefined, 2n) },
    { name: "scribe", buckets: bucketsOf(1n, undefined, 0n) },
  ];
  const stacked = stackCharges(bucketsOf(9n, undefined, 2n), named);
  const amounts = stacked.map((parts) => parts.map(({ chargedNanoUsd }) => chargedNanoUsd));
  expect(amounts).toEqual([
    [5n, 1n, 3n],
    [0n, 0n],
    [2n, 0n],
  ]);
  expect(stacked[0]?.map(({ name }) => name)).toEqual(["gpt-5", "scribe", "others"]);
});
