import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { hashOfKey, newKeyText } from "./key-text.ts";

test("a key is its prefix and 43 base64url characters, which are 256 bits", () => {
  for (let count = 0; count < 200; count += 1) {
    const key = newKeyText();
    expect(key).toMatch(/^sk-tollgate-[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(key.slice("sk-tollgate-".length), "base64url")).toHaveLength(32);
  }
});

test("no two keys are the same", () => {
  const keys = Array.from({ length: 1_000 }, newKeyText);
  expect(new Set(keys).size).toBe(1_000);
});

test("the stored hash of a key is the SHA-256 of its full text", () => {
  const key = newKeyText();
  expect(hashOfKey(key)).toEqual(createHash("sha256").update(key, "utf8").digest());
  expect(hashOfKey("abc").toString("hex")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});
