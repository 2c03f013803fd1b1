import { create } from "@bufbuild/protobuf";
import { Outcome, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { expect, test } from "vitest";
import { usageFields } from "./usage-fields.ts";

const read = (name: string, event: Parameters<(typeof usageFields)[number]["read"]>[0]) =>
  usageFields.find((field) => field.name === name)?.read(event);

test("a failure is recorded under the provider that failed last", () => {
  const attempts = [
    { provider: "one", upstreamModel: "m1" },
    { provider: "two", upstreamModel: "m2" },
  ];
  const event = create(UsageEventSchema, { outcome: Outcome.FAILED, trail: { attempts } });
  expect(read("provider", event)).toBe("two");
  expect(read("upstream_model", event)).toBe("m2");
});

test("a request that called no provider has none", () => {
  expect(read("provider", create(UsageEventSchema, { outcome: Outcome.FAILED }))).toBe("");
});
