import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import { maxBalanceNanoUsd } from "@tollgate/core/money";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { expect, test } from "vitest";
import { completedFields } from "./usage-event-fields.ts";

const slot = { provider: { name: "p" }, upstreamModel: "m" } as Slot;

test.each([
  ["fits all", "1.00", 7n, 7_000_000_000n],
  ["exceeds the column", "1.00", 10_000_000_000n, maxBalanceNanoUsd],
  ["exceeds the message", "999999999999", 10_000_000_000n, maxBalanceNanoUsd],
])("a cost that %s is recorded as at most what a wallet can hold", (_, usd, quantity, cost) => {
  const price = { picoUsd: BigInt(Number(usd)) * 10n ** 12n, per: 1n };
  const [basis, dimension] = ["provider", "input"];
  const usage = completedFields(slot, { quantity, basis, lines: [{ dimension, quantity, price }] });
  expect(usage.costNanoUsd).toBe(cost);
  expect(usage.lines).toMatchObject([{ dimension, quantity, amountNanoUsd: cost }]);
  const event = create(UsageEventSchema, usage);
  expect(fromBinary(UsageEventSchema, toBinary(UsageEventSchema, event))).toEqual(event);
});

test("a provider's usage block is recorded as JSON, unless it is longer than 4 KiB", () => {
  const recorded = (providerUsage?: JsonObject) =>
    completedFields(slot, { quantity: 0n, basis: "provider", lines: [], providerUsage })
      .providerUsage;
  const longest = { text: "é".repeat(2_042) };
  expect(recorded({ prompt_tokens: 1, more: null })).toBe('{"prompt_tokens":1,"more":null}');
  expect(Buffer.byteLength(recorded(longest))).toBe(4_095);
  expect(recorded({ text: `${longest.text}é` })).toBe("");
  expect(recorded()).toBe("");
});

test("what a provider charges is recorded, and is absent where the catalog does not say it", () => {
  const price = { picoUsd: 50_000_000_000n, per: 1_000_000n };
  const used = { quantity: 10n, basis: "provider", lines: [] };
  const recorded = completedFields(slot, { ...used, providerLines: [{ quantity: 10n, price }] });
  expect(recorded.providerCostNanoUsd).toBe(500n);
  expect(completedFields(slot, used)).not.toHaveProperty("providerCostNanoUsd");
});
