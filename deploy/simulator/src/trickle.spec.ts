import { expect, test } from "vitest";
import { splitAwkwardly } from "./trickle.ts";

test("the pieces are the whole, and several even for plain text", () => {
  const bytes = Buffer.from('data: {"a":1}\n\n');
  const pieces = splitAwkwardly(bytes);
  expect(Buffer.concat(pieces)).toEqual(bytes);
  expect(pieces.length).toBe(4);
  expect(pieces.at(-1)?.toString()).toBe("\n");
});

test("every multi-byte character is split", () => {
  const pieces = splitAwkwardly(Buffer.from("aé👋z"));
  expect(pieces.some((piece) => piece.at(-1) === 0xc3)).toBe(true);
  expect(pieces.some((piece) => piece.at(-1) === 0xf0)).toBe(true);
});

test("a single byte stays whole", () => {
  expect(splitAwkwardly(Buffer.from("x")).length).toBe(1);
});
