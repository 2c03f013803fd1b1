import { createLog } from "@tollgate/core/log";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, expect, test } from "vitest";
import { TextSample } from "./text-sample.ts";
import { startTokenizer } from "./tokenizer.ts";

const tokenizer = startTokenizer(createLog("silent"));
afterAll(() => tokenizer.stop());

function sampleOf(text: string, random = Math.random): TextSample {
  const sample = new TextSample(random);
  // As a stream delivers it.
  for (let at = 0; at < text.length; at += 37) sample.add(text.slice(at, at + 37));
  return sample;
}

const letters = "abcdefghijklmnopqrstuvwxyz";
const at = (index: number) => (index * 2_654_435_761) >>> 7;
const of64Kib = (character: (index: number) => string) =>
  Array.from({ length: 65_536 }, (_, index) => character(index)).join("");

/** What a tokenizer takes long for, and the tokens that it has in pieces of 128 characters. */
const attacks = [
  ["one repeated letter", of64Kib(() => "a")],
  ["random letters", of64Kib((index) => letters[at(index) % 26] ?? "")],
  ["CJK", of64Kib((index) => String.fromCharCode(0x4e00 + (at(index) % 20_000)))],
] as const;

test.each(attacks)("64 KiB of %s are counted by 32 pieces of 128 characters", async (_, text) => {
  const sample = sampleOf(text);
  const pieces = sample.pieces();
  expect(pieces.length).toBeGreaterThanOrEqual(16);
  expect(pieces.length).toBeLessThanOrEqual(32);
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(128);
  for (const piece of pieces) expect(text).toContain(piece);
  const inPieces = text.match(/.{128}/gsu) ?? [];
  const all = inPieces.reduce((sum, piece) => sum + countTokens(piece), 0);
  const [tokens = 0] = await tokenizer.count([sample]);
  expect(Math.abs(tokens / all - 1)).toBeLessThan(0.05);
});

test("a short text is counted exactly, special tokens as text", async () => {
  const short = "One two three. <|endoftext|> ".repeat(4);
  const counted = await tokenizer.count([sampleOf(short), sampleOf("")]);
  expect(counted).toEqual([countTokens(short, { disallowedSpecial: new Set() }), 0]);
});

test("a text that changes is counted by all of its parts", async () => {
  const english = "The quick brown fox jumps over the lazy dog. ".repeat(1_000);
  const mixed = english + "快速的棕色狐狸跳过懒狗。".repeat(2_000);
  const [tokens = 0] = await tokenizer.count([sampleOf(mixed, () => 0.3)]);
  expect(Math.abs(tokens / countTokens(mixed) - 1)).toBeLessThan(0.15);
});

test("which pieces are taken cannot be foreseen", () => {
  const numbered = Array.from({ length: 4_096 }, (_, piece) => String(piece).padEnd(128)).join("");
  const taken = () => sampleOf(numbered).pieces().map(Number);
  const [one, other] = [taken(), taken()];
  expect(one).not.toEqual(other);
  for (const pieces of [one, other]) {
    expect(pieces[0]).toBeLessThan(256);
    expect(pieces.at(-1)).toBeGreaterThan(4_095 - 512);
  }
});
