import type { JsonObject } from "@tollgate/kit/json";
import { endOfString, quote } from "./json-text.ts";

const comma = 0x2c;
const colon = 0x3a;
const bracket = 0x5b;
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

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const isArray = Array.isArray(value);
  const inner = isArray ? value : Object.values(value);
  let count = isArray ? 0 : inner.length;
  for (const one of inner) count += countMembers(one);
  return count;
}
