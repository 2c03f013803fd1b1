import { create } from "@bufbuild/protobuf";
import { UsageSumSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { usageCsv } from "./usage-csv.ts";

test("a file of usage has exact amounts", () => {
  const sum = create(UsageSumSchema, {
    name: "acct_1",
    requests: 3n,
    quantities: [{ unitType: "tokens", quantity: 12n }],
    costNanoUsd: 1_000n,
    chargedNanoUsd: 999n,
    uncollectedNanoUsd: 1n,
    providerCostNanoUsd: 750n,
    costedChargeNanoUsd: 999n,
  });
  expect(usageCsv(["account"], [sum], () => "Acme, Inc.").split("\r\n")).toEqual([
    "account,name,requests,failed_requests,prompt_tokens,cached_prompt_tokens,completion_tokens,units,cost_usd,charged_usd,uncollected_usd,provider_cost_usd,costed_charge_usd",
    'acct_1,"Acme, Inc.",3,0,0,0,0,12 tokens,0.000001,0.000000999,0.000000001,0.00000075,0.000000999',
    "",
  ]);
});

test("a file of two dimensions has the names of both", () => {
  const sum = create(UsageSumSchema, { name: "eu", thenName: "key_1" });
  const [header = "", row = ""] = usageCsv(["tag", "key"], [sum], (name) =>
    name === "key_1" ? "build" : name,
  ).split("\r\n");
  expect(header).toMatch(/^tag,name,key,key_name,requests,/);
  expect(row).toMatch(/^eu,eu,key_1,build,0,/);
});
