import {
  type DescField,
  type DescMessage,
  type Message,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { lengthPrefix } from "./length-prefix.ts";

/**
 * Bytes of at least this size are not copied. protobuf-es starts with a small buffer, copies it each
 * time that it doubles it, and copies the result. For smaller fields, these copies cost less than the
 * work to encode the field separately.
 */
const minSharedBytes = 16 * 1024;

/** The encoding of a message, in parts that are sent one after the other. */
export interface EncodedMessage {
  parts: readonly Uint8Array[];
  /** Of all parts together. */
  byteLength: number;
}

/**
 * Encodes a message. The contents of its large `bytes` fields, and of those in its submessages,
 * become parts of their own without a copy, and must not change before they are sent. They follow
 * the other fields: decoders accept fields in any order, and merge a submessage that comes in two
 * pieces. If one item of a list of `bytes` is large, all its items become parts, in their order.
 */
export function encodeMessage(schema: DescMessage, message: Message): EncodedMessage {
  if (!hasLargeBytes(schema, message)) return joined([toBinary(schema, message)]);
  const { rest, parts } = cutBytes(schema, message);
  return joined([toBinary(schema, rest), ...parts]);
}

/** Nearly all messages have none. To find that out here costs less than `cutBytes` does. */
function hasLargeBytes(schema: DescMessage, message: Message): boolean {
  const values = message as unknown as Record<string, unknown>;
  return fieldsWithBytes(schema).some((field) => {
    const value = values[field.localName];
    if (value === undefined) return false;
    if (field.message !== undefined) return hasLargeBytes(field.message, value as Message);
    return isList(field) ? (value as Uint8Array[]).some(isLarge) : isLarge(value as Uint8Array);
  });
}

function isLarge({ length }: Uint8Array): boolean {
  return length >= minSharedBytes;
}

function isList({ fieldKind }: DescField): boolean {
  return fieldKind === "list";
}

/** Returns the encoding as one buffer. */
export function inOnePart({ parts, byteLength }: EncodedMessage): Uint8Array {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts, byteLength);
}

function joined(parts: readonly Uint8Array[]): EncodedMessage {
  return { parts, byteLength: lengthOf(parts) };
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Returns a copy of a message without its large bytes, and the encoded fields that were cut. */
function cutBytes(schema: DescMessage, message: Message) {
  let rest = message;
  const parts: Uint8Array[] = [];
  const values = message as unknown as Record<string, unknown>;
  for (const field of fieldsWithBytes(schema)) {
    const value = values[field.localName];
    if (value === undefined) continue;
    const cut = cutField(field, value);
    if (cut === undefined) continue;
    rest = { ...rest, [field.localName]: cut.rest };
    for (const part of cut.parts) parts.push(part);
  }
  return { rest, parts };
}

const none = new Uint8Array();

/** Returns undefined for a field without large bytes. A list keeps its order, so it is cut whole. */
function cutField(field: DescField, value: unknown) {
  if (field.message !== undefined) {
    const { rest, parts } = cutBytes(field.message, value as Message);
    return parts.length === 0 ? undefined : { rest, parts: encoded(field, parts) };
  }
  if (!isList(field)) {
    const bytes = value as Uint8Array;
    return isLarge(bytes) ? { rest: none, parts: encoded(field, [bytes]) } : undefined;
  }
  const list = value as Uint8Array[];
  if (!list.some(isLarge)) return undefined;
  return { rest: [], parts: list.flatMap((bytes) => encoded(field, [bytes])) };
}

/** Returns a field whose content is `parts`. */
function encoded({ number }: DescField, parts: readonly Uint8Array[]): Uint8Array[] {
  return [Buffer.from(lengthPrefix(number, lengthOf(parts))), ...parts];
}

const knownFields = new WeakMap<DescMessage, readonly DescField[]>();

/**
 * Returns the fields that are bytes or a list of bytes, or hold such a field. Other lists, maps and
 * oneofs are left alone.
 */
function fieldsWithBytes(schema: DescMessage): readonly DescField[] {
  const known = knownFields.get(schema);
  if (known !== undefined) return known;
  // A message that contains itself is looked at once.
  knownFields.set(schema, []);
  const fields = schema.fields.filter((field) => {
    if (field.oneof !== undefined) return false;
    if (field.fieldKind === "scalar" || field.fieldKind === "list") {
      return field.scalar === ScalarType.BYTES;
    }
    return field.fieldKind === "message" && fieldsWithBytes(field.message).length > 0;
  });
  knownFields.set(schema, fields);
  return fields;
}
