import { create } from "@bufbuild/protobuf";
import { UsageSumSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { layersOf } from "./usage-layers.ts";

test("each name has a layer, the one that was charged most first, and the rest is last", () => {
  const sums = [
    { name: "2026-11-20", thenName: "key_1", chargedNanoUsd: 5n },
    { name: "2026-11-20", thenName: "", chargedNanoUsd: 6n },
    { name: "2026-11-20", isRest: true, chargedNanoUsd: 90n },
    { name: "2026-11-21", thenName: "key_1", chargedNanoUsd: 4n },
  ].map((sum) => create(UsageSumSchema, sum));
  const layers = layersOf(sums, { key_1: "build" });
  expect(layers.map(({ name, member }) => [name, member])).toEqual([
    ["build", "key_1"],
    ["none", ""],
    ["others", undefined],
  ]);
  const charges = layers.map(({ has }) =>
    sums.filter(has).map(({ chargedNanoUsd }) => chargedNanoUsd),
  );
  expect(charges).toEqual([[5n, 4n], [6n], [90n]]);
});
