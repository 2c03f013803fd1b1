import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Slot } from "@tollgate/catalog/model";
import { maxBalanceNanoUsd } from "@tollgate/core/money";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { expect, test } from "vitest";
import { completedUsage } from "./usage-fields.ts";

const slot = { provider: { name: "p" }, upstreamModel: "m" } as Slot;

test.each([
  ["fits", "1.00", 7n, 7_000_000_000n],
  ["fits no column", "1.00", 10_000_000_000n, maxBalanceNanoUsd],
  ["fits no message", "999999999999", 10_000_000_000n, maxBalanceNanoUsd],
])("a cost that %s is told as what fits", (_, usd, quantity, cost) => {
  const price = { picoUsd: BigInt(Number(usd)) * 10n ** 12n, per: 1n };
  const basis = "provider";
  const usage = completedUsage(slot, { quantity, basis, lines: [{ quantity, price }] });
  expect(usage.costNanoUsd).toBe(cost);
  const event = create(UsageEventSchema, usage);
  expect(fromBinary(UsageEventSchema, toBinary(UsageEventSchema, event))).toEqual(event);
});
