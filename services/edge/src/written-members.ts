import type { JsonObject } from "@tollgate/core/json";
import { endOfString, quote } from "./json-text.ts";

const space = 0x20;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const largeE = 0x45;
const bracket = 0x5b;
const closingBracket = 0x5d;
const smallE = 0x65;
const brace = 0x7b;
const closingBrace = 0x7d;

/** Whole numbers written in fewer characters are read exactly. */
const longDigits = 16;

/**
 * The members of an object, of which arrays, objects and long whole numbers are as they stand in
 * the text that it was parsed from: to pass them on with all digits of their numbers and in their
 * order, and without writing them again, which takes several times as long as reading them did.
 * What is none of these is written as it was read.
 */
export interface WrittenMembers {
  /** The value of one that the object has. */
  value(name: string): Uint8Array;
  /** An object of some that it has. */
  object(names: readonly string[]): Uint8Array;
}

/**
 * Finds them. All are written anew where others might read the text in another way than we did,
 * since some name stands twice in an object there, or where one of their own names has escapes.
 */
export function writtenMembers(text: Buffer, parsed: JsonObject): WrittenMembers {
  const spans = spansOf(text, parsed);
  const value = (name: string) => spans?.get(name) ?? Buffer.from(JSON.stringify(parsed[name]));
  return {
    value,
    object(names) {
      const parts = names.flatMap((name, index) => [
        Buffer.from(`${index === 0 ? "" : ","}${JSON.stringify(name)}:`),
        value(name),
      ]);
      return Buffer.concat([opening, ...parts, closing]);
    },
  };
}

const opening = Buffer.from("{");
const closing = Buffer.from("}");

function spansOf(text: Buffer, parsed: JsonObject): ReadonlyMap<string, Buffer> | undefined {
  const { members, spans } = scan(text);
  if (members !== countMembers(parsed)) return undefined;
  for (const name of spans.keys()) {
    if (name.includes("\\") || !Object.hasOwn(parsed, name)) return undefined;
  }
  return spans;
}

/** How many members are written, at any depth, and those of the object itself by name. */
function scan(text: Buffer): { members: number; spans: Map<string, Buffer> } {
  const spans = new Map<string, Buffer>();
  let members = 0;
  let depth = 0;
  /** Of the last string, which in front of a colon is a name. */
  let [open, close] = [0, 0];
  let name = "";
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case quote:
        open = at + 1;
        close = endOfString(text, at);
        at = close;
        break;
      case colon:
        members += 1;
        if (depth === 1) addLongInteger(spans, text, open, close);
        break;
      case bracket:
      case brace:
        if (depth === 1) [name, start] = [text.toString("utf8", open, close), at];
        depth += 1;
        break;
      case closingBracket:
      case closingBrace:
        depth -= 1;
        if (depth === 1) spans.set(name, text.subarray(start, at + 1));
    }
  }
  return { members, spans };
}

/** Adds the whole number behind a name, if it has more digits than are read for sure. */
function addLongInteger(
  spans: Map<string, Buffer>,
  text: Buffer,
  nameFrom: number,
  nameTo: number,
): void {
  let start = nameTo + 1;
  while ((text[start] ?? quote) <= space || text[start] === colon) start += 1;
  let end = text[start] === minus ? start + 1 : start;
  while (isDigit(text[end])) end += 1;
  const isFraction = text[end] === point || text[end] === smallE || text[end] === largeE;
  if (isFraction || end - start < longDigits) return;
  spans.set(text.toString("utf8", nameFrom, nameTo), text.subarray(start, end));
}

function isDigit(byte = quote): boolean {
  return byte >= zero && byte <= nine;
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const isArray = Array.isArray(value);
  const inner = isArray ? value : Object.values(value);
  let count = isArray ? 0 : inner.length;
  for (const one of inner) count += countMembers(one);
  return count;
}
