import { expect, test } from "vitest";
import { splitAwkwardly } from "./trickle.ts";

test("the chunks join to the original, and plain text is split, too", () => {
  const bytes = Buffer.from('data: {"a":1}\n\n');
  const chunks = splitAwkwardly(bytes);
  expect(Buffer.concat(chunks)).toEqual(bytes);
  expect(chunks.length).toBe(4);
  expect(chunks.at(-1)?.toString()).toBe("\n");
});

test("every multi-byte character is split", () => {
  const chunks = splitAwkwardly(Buffer.from("aé👋z"));
  expect(chunks.some((chunk) => chunk.at(-1) === 0xc3)).toBe(true);
  expect(chunks.some((chunk) => chunk.at(-1) === 0xf0)).toBe(true);
});

test("a single byte is not split", () => {
  expect(splitAwkwardly(Buffer.from("x")).length).toBe(1);
});
