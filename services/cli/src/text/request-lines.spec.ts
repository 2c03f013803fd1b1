import { create } from "@bufbuild/protobuf";
import { RequestRecordSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { requestLines } from "./request-lines.ts";

const million = 1_000_000n;
const input = {
  ...{ dimension: "input", quantity: 2n, pricePicoUsd: 100_000_000_000n, per: million },
  amountNanoUsd: 200n,
};
/** Its amount in the ledger includes the rounding of the whole cost. */
const output = {
  ...{ dimension: "output", quantity: 5n, pricePicoUsd: 400_000_000_000n, per: million },
  amountNanoUsd: 2_800n,
};

/** Returns the lines that lead from the prices of a request to its charge. */
function pricesOf(lines: (typeof input)[], costNanoUsd: bigint): string[] {
  const request = create(RequestRecordSchema, { lines, costNanoUsd, chargedNanoUsd: costNanoUsd });
  const texts = requestLines(request, undefined).map((line) => line.trim());
  return texts.filter((text) => /^(price|input|output|images|rounded|changed|charged) /.test(text));
}

test("each price line has its exact amount, and the rounding has a line of its own", () => {
  expect(pricesOf([input, output], 3_000n)).toEqual([
    "price        input  2 at 0.1 USD per 1000000 = 0.0000002 USD",
    "output  5 at 0.4 USD per 1000000 = 0.000002 USD",
    "rounded up   0.0000008 USD to a whole 0.000001 USD",
    "charged      0.000003 USD",
  ]);
});

test("a sum that is the cost has no rounding", () => {
  const images = { ...input, dimension: "images", pricePicoUsd: million * 2_000n, per: 1n };
  expect(pricesOf([images], 4_000_000n)).toEqual([
    "price        images  2 at 0.002 USD per 1 = 0.004 USD",
    "charged      0.004000 USD",
  ]);
});

test("a cost that the response named is not called rounding", () => {
  expect(pricesOf([output], 1_000n)).toContain(
    "changed      -0.000001 USD because the response named this cost",
  );
});
