import { create } from "@bufbuild/protobuf";
import { UsageSumSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { CatalogModelSchema } from "@tollgate/proto/tollgate/v1/model";
import { expect, test } from "vitest";
import { compareInvoice, isLoss } from "./compare-invoice.ts";
import { readInvoice } from "./read-invoice.ts";

const usd = 1_000_000_000n;
const slot = (provider: string, upstreamModel: string) => ({ provider, upstreamModel });
const models = [
  { alias: "large", slots: [slot("acme", "large-2"), slot("other", "large-2")] },
  { alias: "fast", slots: [slot("acme", "fast-1")] },
  { alias: "fastest", slots: [slot("acme", "fast-1"), slot("acme", "fast-0")] },
  { alias: "elsewhere", slots: [slot("other", "x")] },
].map((fields) => create(CatalogModelSchema, fields));
const charged = (name: string, chargedNanoUsd: bigint) =>
  create(UsageSumSchema, { name, chargedNanoUsd, providerCostNanoUsd: chargedNanoUsd / 2n });

test("models are compared with what was charged for the aliases that they serve", () => {
  const invoice = readInvoice(
    'model,tokens,cost_usd\nfast-1,5,1.5\n"fast-0",1,0.25\nfast-1,7,0.25\nlarge-2,9,4\nunknown,1,0.1\n',
  );
  const usage = [charged("large", 3n * usd), charged("fast", usd), charged("fastest", 2n * usd)];
  const compared = compareInvoice(invoice, usage, models, "acme");
  expect(compared.map((one) => [one.upstreamModels, one.aliases, isLoss(one)])).toEqual([
    [["large-2"], ["large"], true],
    [["fast-0", "fast-1"], ["fast", "fastest"], false],
    [["unknown"], [], true],
  ]);
  expect(compared[1]).toMatchObject({
    ...{ paidNanoUsd: 2n * usd, chargedNanoUsd: 3n * usd },
    expectedNanoUsd: (3n * usd) / 2n,
  });
});

test("an alias that is not in the catalog any more is listed with what it was charged", () => {
  const compared = compareInvoice(new Map(), [charged("gone", usd)], models, "acme");
  expect(compared).toMatchObject([{ aliases: ["gone"], chargedNanoUsd: usd, paidNanoUsd: 0n }]);
});

test("an amount is rounded up to nano-USD, and a credit is subtracted", () => {
  const text = "﻿model,cost_usd\r\na,0.0000000001\r\nb,3\r\nb,-1.5\r\n";
  expect(readInvoice(text)).toEqual(
    new Map([
      ["a", 1n],
      ["b", 1_500_000_000n],
    ]),
  );
});

test.each([
  ["", "columns model and cost_usd"],
  ["model,cost\na,1\n", "columns model and cost_usd"],
  ["model,cost_usd\na,x\n", "record 1"],
  ["model,cost_usd\n,1\n", "record 1"],
  ['model,cost_usd\n"a,1\n', "not CSV"],
])("the invoice %j is refused", (text, message) => {
  expect(() => readInvoice(text)).toThrow(message);
});
