import { timestampDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { entryFilterOf, readLedgerSearch } from "./ledger-search.ts";

test("an address without filters has none", () => {
  expect(readLedgerSearch({ tab: "ledger", kind: "gift", from: "yesterday" })).toEqual({});
  expect(entryFilterOf({})).toBeUndefined();
});

test("an address has a period of whole days, a kind and a request", () => {
  const raw = { from: "2026-03-01", to: "2026-03-02", kind: "top_up", request: "req_1" };
  const filter = entryFilterOf(readLedgerSearch(raw));
  expect(filter).toMatchObject({ kind: "top_up", requestId: "req_1" });
  expect(filter?.from && timestampDate(filter.from).toISOString()).toBe("2026-03-01T00:00:00.000Z");
  expect(filter?.to && timestampDate(filter.to).toISOString()).toBe("2026-03-03T00:00:00.000Z");
});
