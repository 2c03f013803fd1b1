import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { Outcome, UsageEventSchema, UsageLineSchema } from "@tollgate/proto/tollgate/v1/usage";
import { expect, test } from "vitest";
import { isRecordable } from "./recordable.ts";

const event = create(UsageEventSchema, {
  id: "req_1",
  accountId: "acct_1",
  outcome: Outcome.COMPLETED,
});
const tooLarge = 2n ** 63n;

test("an event with an id, an account and an outcome is recordable", () => {
  expect(isRecordable(event)).toBe(true);
  expect(isRecordable({ ...event, costNanoUsd: tooLarge - 1n })).toBe(true);
  expect(isRecordable({ ...event, lines: [lineOf({})], providerUsage: "{}" })).toBe(true);
});

test.each([
  { id: "" },
  { accountId: "" },
  { outcome: Outcome.UNSPECIFIED },
  { quantity: tooLarge },
  { promptTokens: tooLarge },
  { completionTokens: tooLarge },
  { cachedPromptTokens: tooLarge },
  { costNanoUsd: tooLarge },
  { reportedNanoUsd: tooLarge },
  { corpusSize: tooLarge },
  { sharedNanoUsd: tooLarge },
  { id: "x".repeat(2_501) },
  { conversationId: "é".repeat(1_251) },
  { providerUsage: "é".repeat(2_049) },
  { providerUsage: '"\0"' },
  { lines: [lineOf({ dimension: "" })] },
  { lines: [lineOf({ dimension: "x".repeat(129) })] },
  { lines: [lineOf({ dimension: "a\0" })] },
  { lines: [lineOf({ quantity: tooLarge })] },
  { lines: [lineOf({ amountNanoUsd: tooLarge })] },
  { lines: Array.from({ length: 101 }, () => lineOf({})) },
  { keyId: "x".repeat(1_000), alias: "x".repeat(1_000), unitType: "x".repeat(500) },
  { occurredAt: create(TimestampSchema, { seconds: 10n ** 16n }) },
  { occurredAt: create(TimestampSchema, { seconds: -1n }) },
])("an event with %o is not recordable", (fields) => {
  expect(isRecordable({ ...event, ...fields })).toBe(false);
});

function lineOf(fields: MessageInitShape<typeof UsageLineSchema>) {
  return create(UsageLineSchema, { dimension: "input", ...fields });
}
