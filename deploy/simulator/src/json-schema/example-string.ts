import { exampleOfFormat } from "./format.ts";
import { harmlessWord, type Paths } from "./harmless-words.ts";
import { matchingTexts } from "./matching-texts.ts";
import { type MergedSchema, patternsOf } from "./merge.ts";

/** Longer texts are not made, so a schema that demands one gets an example that does not match. */
const maxCharacters = 10_000;

/**
 * Returns the `nth` example of a string schema: a value of its format, else a word that fits the
 * name of its property, else "example"; cut or repeated to its length, or derived from its pattern.
 */
export function exampleString(
  schema: MergedSchema,
  { name, paths, nth }: { name: string; paths: Paths; nth: number },
): string {
  const formatted = exampleOfFormat(schema.format ?? "", nth);
  const words = formatted ? [formatted] : [harmlessWord(name, paths), "example"].map(number(nth));
  const usual = words.find((text) => allowsString(schema, text));
  return usual ?? derived(schema, words[0] ?? "example", nth);
}

/** Returns whether the schema's lengths and patterns allow a text. Formats are not checked. */
export function allowsString(schema: MergedSchema, text: string): boolean {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const characters = Array.from(text).length;
  if (characters < minLength || characters > maxLength) return false;
  return patternsOf(schema).every((pattern) => toRegExp(pattern)?.test(text) ?? true);
}

/** Returns a text made from the schema's patterns and lengths; the word itself if none matches. */
function derived(schema: MergedSchema, word: string, nth: number): string {
  const found = new Set<string>();
  for (const candidate of candidates(schema, word)) {
    if (allowsString(schema, candidate)) found.add(candidate);
    if (found.size > nth) break;
  }
  return [...found].at(-1) ?? word;
}

function* candidates(schema: MergedSchema, word: string): Generator<string, void> {
  const { minLength = 0, maxLength = maxCharacters } = schema;
  const patterns = patternsOf(schema);
  for (const pattern of patterns) yield* matchingTexts(pattern, minLength);
  if (patterns.length > 1) yield patterns.map(firstMatch).join("");
  if (patterns.length === 0) yield fitted(word, minLength, maxLength);
}

function number(nth: number) {
  return (word: string) => (nth === 0 ? word : `${word} ${nth + 1}`);
}

function firstMatch(pattern: string): string {
  return matchingTexts(pattern, 0).next().value ?? "";
}

function fitted(word: string, minLength: number, maxLength: number): string {
  const length = Math.min(Math.max(word.length, minLength), maxLength, maxCharacters);
  return word.repeat(Math.ceil(length / word.length)).slice(0, length);
}

function toRegExp(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}
