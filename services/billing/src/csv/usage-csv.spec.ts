import { create } from "@bufbuild/protobuf";
import { UsageBy, UsageSumSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { usageCsv } from "./usage-csv.ts";

const none = UsageBy.UNSPECIFIED;

test("a file of usage has exact amounts, and the names of keys and accounts", () => {
  const sum = create(UsageSumSchema, {
    name: "acct_1",
    requests: 3n,
    quantities: [{ unitType: "tokens", quantity: 12n }],
    ...{ costNanoUsd: 1_000n, chargedNanoUsd: 999n, uncollectedNanoUsd: 1n },
    ...{ providerCostNanoUsd: 750n, costedChargeNanoUsd: 999n },
  });
  const names = { acct_1: "Acme, Inc." };
  const table = { sums: [sum], by: [UsageBy.ACCOUNT, none] as const, names, hasCosts: true };
  expect(usageCsv(table).split("\n")).toEqual([
    "account,account_name,requests,failed_requests,quantity,prompt_tokens,cached_prompt_tokens,completion_tokens,cost_usd,charged_usd,uncollected_usd,provider_cost_usd,costed_charge_usd",
    'acct_1,"Acme, Inc.",3,0,12 tokens,0,0,0,0.000001,0.000000999,0.000000001,0.00000075,0.000000999',
    "",
  ]);
});

test("a file of two dimensions has both, and a customer's has no costs of providers", () => {
  const sum = create(UsageSumSchema, { name: "eu", thenName: "key_1", providerCostNanoUsd: 7n });
  const by = [UsageBy.TAG, UsageBy.KEY] as const;
  const names = { key_1: "build" };
  const text = usageCsv({ sums: [sum], by, names, hasCosts: false });
  expect(text.split("\n")).toEqual([
    "tag,key,key_name,requests,failed_requests,quantity,prompt_tokens,cached_prompt_tokens,completion_tokens,cost_usd,charged_usd,uncollected_usd",
    "eu,key_1,build,0,0,,0,0,0,0,0,0",
    "",
  ]);
});
