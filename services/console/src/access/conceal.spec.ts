import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import {
  GetRequestResponseSchema,
  ListRequestsRequestSchema,
  ReadOverviewResponseSchema,
  ReadUsageRequestSchema,
} from "@tollgate/proto/tollgate/v1/operator";
import { expect, test } from "vitest";
import { concealProviders, refuseProviders } from "./conceal.ts";

test("a response without its providers has everything else", () => {
  const lines = [{ dimension: "input", quantity: 2n, amountNanoUsd: 1_000n }];
  const seen = { alias: "fast", chargedNanoUsd: 1_000n, errorCode: "upstream_rejected", lines };
  const hidden = { provider: "azure", upstreamModel: "gpt-5", providerUsage: "{}" };
  const attempts = [{ provider: "azure", upstreamModel: "gpt-5", status: 503 }];
  const response = create(GetRequestResponseSchema, {
    requests: [{ ...seen, ...hidden, attempts }],
    entries: [{ alias: "fast", provider: "azure", providerUsage: "{}", lines }],
  });
  concealProviders(GetRequestResponseSchema, response);
  expect(response).toEqual(
    create(GetRequestResponseSchema, { requests: [seen], entries: [{ alias: "fast", lines }] }),
  );
  const overview = create(ReadOverviewResponseSchema, {
    requests: 1n,
    providers: [{ provider: "azure", served: 1n }],
  });
  concealProviders(ReadOverviewResponseSchema, overview);
  expect(overview).toEqual(create(ReadOverviewResponseSchema, { requests: 1n }));
});

test("a request that asks by provider is refused, and no other", () => {
  const refused = expect.objectContaining({ code: Code.PermissionDenied });
  for (const filter of [{ provider: "azure" }, { without: [UsageBy.PROVIDER] }]) {
    const request = create(ListRequestsRequestSchema, filter);
    expect(() => refuseProviders(ListRequestsRequestSchema, request)).toThrow(refused);
  }
  for (const usage of [
    { by: UsageBy.PROVIDER },
    { thenBy: UsageBy.PROVIDER },
    { filter: { provider: "azure" } },
    { filter: { without: [UsageBy.PROVIDER] } },
  ]) {
    const request = create(ReadUsageRequestSchema, usage);
    expect(() => refuseProviders(ReadUsageRequestSchema, request)).toThrow(refused);
  }
  const other = create(ReadUsageRequestSchema, { by: UsageBy.MODEL, filter: { alias: "fast" } });
  expect(() => refuseProviders(ReadUsageRequestSchema, other)).not.toThrow();
});
