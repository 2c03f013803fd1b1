import type { JsonObject } from "@tollgate/core/json";
import { endOfString, quoteByte } from "@tollgate/core/json-text";
import type { RequestBody } from "./request-body.ts";

const space = 0x20;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const largeE = 0x45;
const bracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const smallE = 0x65;
const brace = 0x7b;
const closingBrace = 0x7d;

/** Integers of fewer characters are exact in a JavaScript number. */
const longDigits = 16;

/**
 * The members of a JSON object as raw JSON. Arrays, objects and long integers are slices of the
 * body that the object was parsed from: they keep every digit and the order of their members, and
 * need not be serialized again, which takes several times as long as parsing. Other values are
 * serialized from the parsed object.
 */
export interface RawJsonMembers {
  /** Returns the JSON of a member, in one or more pieces. The object must have it. */
  value(name: string): Uint8Array[];
  /** Returns the JSON of an object with the named members. The object must have all of them. */
  object(names: readonly string[]): Uint8Array;
}

/**
 * Finds the raw members of an object in the body that it was parsed from. All members are serialized
 * again if another parser could read the text differently, because some object in it has a name
 * twice, or if one of the object's own names is written with escapes.
 */
export function rawJsonMembers(body: RequestBody, parsed: JsonObject): RawJsonMembers {
  const spans = body.use((text) => spansOf(text, parsed));
  const value = (name: string) => {
    const span = spans?.get(name);
    return span === undefined ? [Buffer.from(JSON.stringify(parsed[name]))] : body.slice(...span);
  };
  return {
    value,
    object(names) {
      const parts = names.flatMap((name, index) => [
        Buffer.from(`${index === 0 ? "" : ","}${JSON.stringify(name)}:`),
        ...value(name),
      ]);
      return Buffer.concat([opening, ...parts, closing]);
    },
  };
}

/**
 * Whether another parser could read a body differently than it was parsed: some object in it has a name
 * twice, or a name is written with escapes.
 */
export function isAmbiguous(body: RequestBody, parsed: JsonObject): boolean {
  const { members, hasEscapes } = body.use(scan);
  return hasEscapes || members !== countMembers(parsed);
}

/** Where the JSON of a member starts in the text, and where it ends. */
type Span = [start: number, end: number];

const opening = Buffer.from("{");
const closing = Buffer.from("}");

function spansOf(text: Buffer, parsed: JsonObject): ReadonlyMap<string, Span> | undefined {
  const { members, spans } = scan(text);
  if (members !== countMembers(parsed)) return undefined;
  for (const name of spans.keys()) {
    if (name.includes("\\") || !Object.hasOwn(parsed, name)) return undefined;
  }
  return spans;
}

interface Scan {
  /** The number of members at any depth. */
  members: number;
  /** Whether the name of one of them has a backslash. */
  hasEscapes: boolean;
  /** Of the top-level members by name. */
  spans: Map<string, Span>;
}

function scan(text: Buffer): Scan {
  const spans = new Map<string, Span>();
  let members = 0;
  let hasEscapes = false;
  let depth = 0;
  /** The bounds of the last string. In front of a colon it is a name. */
  let [open, close] = [0, 0];
  let name = "";
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case quoteByte:
        open = at + 1;
        close = endOfString(text, at);
        at = close;
        break;
      case colon:
        members += 1;
        hasEscapes ||= hasBackslash(text, open, close);
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
        if (depth === 1) spans.set(name, [start, at + 1]);
    }
  }
  return { members, hasEscapes, spans };
}

function hasBackslash(text: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (text[at] === backslash) return true;
  return false;
}

/** Adds the integer after a name, if it has too many digits to be exact as a JavaScript number. */
function addLongInteger(
  spans: Map<string, Span>,
  text: Buffer,
  nameFrom: number,
  nameTo: number,
): void {
  let start = nameTo + 1;
  while ((text[start] ?? quoteByte) <= space || text[start] === colon) start += 1;
  let end = text[start] === minus ? start + 1 : start;
  while (isDigit(text[end])) end += 1;
  const isFraction = text[end] === point || text[end] === smallE || text[end] === largeE;
  if (isFraction || end - start < longDigits) return;
  spans.set(text.toString("utf8", nameFrom, nameTo), [start, end]);
}

function isDigit(byte = quoteByte): boolean {
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
