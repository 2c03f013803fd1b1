import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { EntrySchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { entriesCsv } from "./entries-csv.ts";

test("an entry has as many cells as the header, and an exact amount", () => {
  const entry = create(EntrySchema, {
    ...{ id: "entry_1", accountId: "acct_1", kind: "adjustment", amountNanoUsd: -1_000n },
    ...{ requestId: "req_1", reference: "refund:req_1:a", reason: "too slow" },
    recordedAt: timestampFromDate(new Date("2026-03-01T00:00:00Z")),
  });
  const [header = "", row = ""] = entriesCsv([entry]).split("\r\n");
  expect(row).toBe(
    "entry_1,2026-03-01T00:00:00.000Z,acct_1,adjustment,-0.000001,0,req_1,,,,0,,refund:req_1:a,too slow",
  );
  expect(row.split(",")).toHaveLength(header.split(",").length);
});
