import { expect, test } from "vitest";
import { imagesResponse } from "./image-generation.ts";

const now = new Date("2026-01-02T03:04:05.678Z");
const nowSeconds = 1_767_323_045;

function createdOf(created: string): unknown {
  const value = JSON.parse(`{"created":${created},"data":[{"url":"https://images.test/1"}]}`);
  const used = { quantity: 1n, basis: "returned" };
  const body = imagesResponse({ bytes: Buffer.alloc(0), value, used, cost: 0n }, now);
  return JSON.parse(Buffer.from(body).toString()).created;
}

test.each([
  ["1700000000", 1_700_000_000],
  ["0", 0],
])("a provider's created of %s is sent unchanged", (text, seconds) => {
  expect(createdOf(text)).toBe(seconds);
});

test.each([
  "1e400",
  "1e30",
  "1.5",
  "-7",
  '"5"',
  "null",
])("created %s is not a time and is replaced by the current time", (text) => {
  expect(createdOf(text)).toBe(nowSeconds);
});
