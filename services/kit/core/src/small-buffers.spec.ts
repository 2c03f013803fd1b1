import { expect, test } from "vitest";
import { joinSmallBuffers } from "./small-buffers.ts";

const small = Buffer.from("small");
const large = Buffer.alloc(20_000, "x");

test("small neighbors become one buffer, and large buffers are not copied", () => {
  const joined = joinSmallBuffers([small, small, large, small, small, large, large]);
  expect(joined.map(({ byteLength }) => byteLength)).toEqual([10, 20_000, 10, 20_000, 20_000]);
  for (const index of [1, 3, 4]) expect(joined[index]).toBe(large);
  const bytes = Buffer.concat([small, small, large, small, small, large, large]);
  expect(Buffer.concat(joined).equals(bytes)).toBe(true);
});

test("no more than 1 MiB is joined", () => {
  const part = Buffer.alloc(16 * 1_024, "x");
  const parts = Array.from({ length: 65 }, () => part);
  const sizes = joinSmallBuffers(parts).map(({ byteLength }) => byteLength);
  expect(sizes).toEqual([1_024 * 1_024, 16 * 1_024]);
});

test("no buffers are none", () => {
  expect(joinSmallBuffers([])).toEqual([]);
});
