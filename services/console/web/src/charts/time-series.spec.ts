import { create } from "@bufbuild/protobuf";
import { UsageSumSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { bucketsOf, labelOf } from "./time-series.ts";

const range = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });
const sum = (name: string) => create(UsageSumSchema, { name, requests: 7n });

test("a chart has a bar for every day of its period, also for those without usage", () => {
  const days = range("2026-11-21T00:00Z", "2026-11-23T09:00Z");
  const buckets = bucketsOf(days, "day", [sum("2026-11-22")]);
  expect(buckets.map(({ start, sums }) => [labelOf(start, "day"), sums[0]?.requests])).toEqual([
    ["Nov 21", undefined],
    ["Nov 22", 7n],
    ["Nov 23", undefined],
  ]);
});

test.each([
  "2026-11-23T08",
  "2026-11-23T08:00",
  "2026-11-23T08:00:00Z",
  "2026-11-23 08:00",
])("the hour %s has its own bar", (name) => {
  const hours = range("2026-11-23T07:00Z", "2026-11-23T09:00Z");
  const buckets = bucketsOf(hours, "hour", [sum(name)]);
  expect(buckets.map(({ sums }) => sums[0]?.requests)).toEqual([undefined, 7n]);
});

test("months have their own lengths", () => {
  const buckets = bucketsOf(range("2025-12-01T00:00Z", "2026-03-02T00:00Z"), "month", []);
  expect(buckets.map(({ start }) => labelOf(start, "month"))).toEqual([
    "Dec 2025",
    "Jan 2026",
    "Feb 2026",
    "Mar 2026",
  ]);
});
