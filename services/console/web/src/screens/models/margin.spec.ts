import { create } from "@bufbuild/protobuf";
import { CatalogPriceSchema } from "@tollgate/proto/tollgate/v1/model";
import { expect, test } from "vitest";
import { marginOf } from "./margin.ts";

const margin = (pricePicoUsd: bigint, listPricePicoUsd: bigint) =>
  marginOf(create(CatalogPriceSchema, { pricePicoUsd, listPricePicoUsd }));

test("the margin is the difference to the list price, and a loss is marked", () => {
  expect(margin(110n, 100n)).toEqual({ text: "+10.0 %", isLoss: false });
  expect(margin(995n, 1_000n)).toEqual({ text: "−0.5 %", isLoss: true });
  expect(margin(5n, 0n)).toBeUndefined();
  expect(marginOf(create(CatalogPriceSchema, { pricePicoUsd: 5n }))).toBeUndefined();
});
