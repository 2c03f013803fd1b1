import { endOfString, quoteByte } from "./json-text.ts";

const comma = 0x2c;
const bracket = 0x5b;
const closingBracket = 0x5d;
const brace = 0x7b;
const closingBrace = 0x7d;

/**
 * Returns the text of a JSON object with other values for some of its own members, and all other
 * bytes as they are. `values` has JSON text by name. A member that the object lacks becomes its first.
 */
export function replaceMembers(text: Buffer, values: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const missing = new Set(Object.keys(values));
  const open = text.indexOf(brace) + 1;
  let copied = open;
  let isEmpty = true;
  for (const { name, start, end } of membersOf(text, open)) {
    isEmpty = false;
    if (!Object.hasOwn(values, name)) continue;
    missing.delete(name);
    parts.push(text.subarray(copied, start), Buffer.from(values[name] ?? ""));
    copied = end;
  }
  const added = [...missing].map((name) => `${JSON.stringify(name)}:${values[name]}`).join(",");
  const separator = added === "" || isEmpty ? "" : ",";
  const head = Buffer.from(`${added}${separator}`);
  return Buffer.concat([text.subarray(0, open), head, ...parts, text.subarray(copied)]);
}

/** Does the same in the object that is the member `name` of an object. */
export function replaceInMember(
  text: Buffer,
  name: string,
  values: Readonly<Record<string, string>>,
): Buffer {
  for (const member of membersOf(text, text.indexOf(brace) + 1)) {
    if (member.name !== name || text[member.start] !== brace) continue;
    const inner = replaceMembers(text.subarray(member.start, member.end), values);
    return Buffer.concat([text.subarray(0, member.start), inner, text.subarray(member.end)]);
  }
  return text;
}

interface Member {
  name: string;
  /** The bounds of its value. */
  start: number;
  end: number;
}

/** Yields the members of the object whose first byte after the brace is at `from`. */
function* membersOf(text: Buffer, from: number): Generator<Member> {
  let at = skipSpace(text, from);
  while (text[at] === quoteByte) {
    const close = endOfString(text, at);
    const name = JSON.parse(text.toString("utf8", at, close + 1)) as string;
    const start = skipSpace(text, skipSpace(text, close + 1) + 1);
    const end = endOfValue(text, start);
    yield { name, start, end };
    at = skipSpace(text, end);
    if (text[at] === comma) at = skipSpace(text, at + 1);
  }
}

function skipSpace(text: Buffer, from: number): number {
  let at = from;
  while ((text[at] ?? quoteByte) <= 0x20) at += 1;
  return at;
}

/** Returns the index after the value that starts at `from`. */
function endOfValue(text: Buffer, from: number): number {
  const first = text[from];
  if (first === quoteByte) return endOfString(text, from) + 1;
  if (first === brace || first === bracket) return endOfNested(text, from);
  let at = from;
  while (!endsPlainValue(text[at])) at += 1;
  return at;
}

/** Returns whether a number or a word ends before this byte. */
function endsPlainValue(byte = comma): boolean {
  return byte <= 0x20 || byte === comma || byte === closingBrace || byte === closingBracket;
}

/** Returns the index after the object or array that starts at `from`. */
function endOfNested(text: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === quoteByte) at = endOfString(text, at);
    else if (byte === brace || byte === bracket) depth += 1;
    else if (byte === closingBrace || byte === closingBracket) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
