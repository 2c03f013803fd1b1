import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { EntrySchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { entriesCsv } from "./entries-csv.ts";

const entry = create(EntrySchema, {
  ...{ id: "entry_1", accountId: "acct_1", kind: "adjustment", amountNanoUsd: -1_000n },
  ...{ requestId: "req_1", reference: "refund:req_1:a", reason: "too slow" },
  recordedAt: timestampFromDate(new Date("2026-03-01T00:00:00Z")),
});

test("an entry has as many cells as the header, and an exact amount", () => {
  const [header = "", row = "", end] = entriesCsv([entry], { isFirst: true }).split("\n");
  expect(row).toBe(
    "entry_1,2026-03-01T00:00:00.000Z,acct_1,adjustment,-0.000001,0,req_1,,,,0,,refund:req_1:a,too slow",
  );
  expect(row.split(",")).toHaveLength(header.split(",").length);
  expect(end).toBe("");
});

test("a later page has no header", () => {
  expect(entriesCsv([entry], { isFirst: false })).toMatch(/^entry_1,/);
});
