import { create } from "@bufbuild/protobuf";
import { type UsageSum, UsageSumSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { usageTable } from "./usage-table.ts";

const large = create(UsageSumSchema, {
  name: "anthropic/claude-sonnet-with-a-long-name",
  requests: 1_234_567n,
  failedRequests: 12n,
  quantities: [{ unitType: "tokens", quantity: 9_876_543_210n }],
  promptTokens: 9_000_000_000n,
  cachedPromptTokens: 8_000_000_000n,
  completionTokens: 876_543_210n,
  chargedNanoUsd: 12_345_678_000_000n,
});
const paint = create(UsageSumSchema, {
  name: "paint",
  requests: 2n,
  quantities: [{ unitType: "images", quantity: 3n }],
  chargedNanoUsd: 120_000_000n,
});

test("a table has a line for each sum, and their total", () => {
  const lines = usageTable([large, paint], "model", 150);
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(lines.map((line) => line.split(/ {2,}/).join(" | "))).toEqual([
    "MODEL | REQUESTS | FAILED | QUANTITY | PROMPT | CACHED | COMPLETION | CHARGED USD",
    "anthropic/claude-sonnet-with-a-long-name | 1,234,567 | 12 | 9,876,543,210 tokens | " +
      "9,000,000,000 | 8,000,000,000 | 876,543,210 | 12345.678000",
    "paint | 2 | 0 | 3 images | 0 | 0 | 0 | 0.120000",
    "total | 1,234,569 | 12 | 9,876,543,210 tokens, 3 images | " +
      "9,000,000,000 | 8,000,000,000 | 876,543,210 | 12345.798000",
  ]);
});

test("a narrow table leaves out the tokens and cuts long names", () => {
  const lines = usageTable([large], "model", 80);
  expect(lines).toHaveLength(2);
  expect(lines.every((line) => line.length <= 80)).toBe(true);
  expect(lines[0]).toMatch(/^MODEL +REQUESTS +FAILED +QUANTITY +CHARGED USD$/);
  expect(lines[1]).toContain("anthropic/claude-s");
});

test("what could not be charged has a column only where there is some", () => {
  const unpaid: UsageSum = { ...paint, uncollectedNanoUsd: 5_000n };
  expect(usageTable([unpaid], "key", 120)[0]).toMatch(/UNCOLLECTED USD$/);
  expect(usageTable([paint], "key", 120)[0]).not.toContain("UNCOLLECTED");
});

test("what providers charge, and the margin, have columns only where some is known", () => {
  const costed: UsageSum = {
    ...paint,
    providerCostNanoUsd: 60_000_000n,
    costedChargeNanoUsd: 80_000_000n,
  };
  const lines = usageTable([costed, paint], "provider", 150);
  expect(lines.map((line) => line.split(/ {2,}/).slice(-3))).toEqual([
    ["CHARGED USD", "PROVIDER USD", "MARGIN"],
    ["0.120000", "0.060000", "25.0 %"],
    ["0.120000", "0.000000", "–"],
    ["0.240000", "0.060000", "25.0 %"],
  ]);
  expect(usageTable([paint], "provider", 150)[0]).not.toContain("MARGIN");
});
