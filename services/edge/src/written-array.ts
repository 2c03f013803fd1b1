import type { JsonObject } from "@tollgate/kit/json";

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const bracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const brace = 0x7b;
const closingBrace = 0x7d;

/**
 * The array that an object's member is, as it stands in the text that the object was parsed from: to
 * pass it on, without writing it again, which takes several times as long as reading it did. Undefined
 * where others might read the text in another way than we did, since some name stands twice in an
 * object there, or where the member's name is written with escapes.
 */
export function writtenArray(text: Buffer, parsed: JsonObject, name: string): Buffer | undefined {
  const { members, start, end } = scan(text, name);
  if (end === 0 || members !== countMembers(parsed)) return undefined;
  return text.subarray(start, end);
}

/** How many members are written, at any depth, and where the array lies. The text is JSON. */
function scan(text: Buffer, name: string): { members: number; start: number; end: number } {
  const found = { members: 0, start: 0, end: 0 };
  let depth = 0;
  let isName = false;
  let isWanted = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case quote: {
        const close = endOfString(text, at);
        isName = depth === 1 && close - at - 1 === name.length && reads(text, at + 1, name);
        at = close;
        break;
      }
      case colon:
        found.members += 1;
        isWanted = isName;
        break;
      case comma:
        isWanted = false;
        break;
      case bracket:
      case brace:
        if (isWanted && depth === 1) found.start = at;
        depth += 1;
        break;
      case closingBracket:
      case closingBrace:
        depth -= 1;
        if (depth === 1 && found.start > 0 && found.end === 0) found.end = at + 1;
    }
  }
  return found;
}

function reads(text: Buffer, at: number, name: string): boolean {
  return text.toString("latin1", at, at + name.length) === name;
}

/** Most strings end soon; a long one is searched, which is quick unless it has quotes in it. */
const soon = 64;

/** Where the string that opens there is closed. */
function endOfString(text: Buffer, open: number): number {
  const near = walkString(text, open + 1, open + soon);
  if (text[near] === quote) return near;
  const close = text.indexOf(quote, near);
  return text[close - 1] === backslash ? walkString(text, near, text.length) : close;
}

/** The next quote that closes a string, or where else it stops, at `until` or one behind. */
function walkString(text: Buffer, from: number, until: number): number {
  let at = from;
  for (; at < until; at += 1) {
    const byte = text[at];
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  return at;
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const isArray = Array.isArray(value);
  const inner = isArray ? value : Object.values(value);
  let count = isArray ? 0 : inner.length;
  for (const one of inner) count += countMembers(one);
  return count;
}
