import { expect, test } from "vitest";
import { newRequestId } from "./ids.ts";

test("request ids are UUIDs of version 7, unique, and sort in the order of their creation", () => {
  const ids = Array.from({ length: 20_000 }, newRequestId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  const pattern = /^req_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/;
  expect(ids.filter((id) => !pattern.test(id))).toEqual([]);
});

test("a request id contains the time of its creation", () => {
  const before = Date.now();
  const ms = Number.parseInt(newRequestId().slice("req_".length, "req_".length + 12), 16);
  expect(ms).toBeGreaterThanOrEqual(before);
  // A burst of ids may run ahead of the clock: 4,096 fit in a millisecond.
  expect(ms).toBeLessThan(Date.now() + 1_000);
});
