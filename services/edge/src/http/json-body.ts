import { GatewayError } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { hasMoreThan } from "@tollgate/core/json-text";
import type { RequestBody } from "./request-body.ts";

/** Deeper than any request needs, and shallow enough for recursive functions over the body. */
const maxDepth = 256;
/** Arrays, objects and members. More than any request needs; 32 MiB of them would take seconds. */
const maxNodes = 1_000_000;
/** The size of the shortest node, an empty array. */
const minNodeBytes = 2;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a body. Throws `invalid_json` if it is not a JSON object in UTF-8, or if it exceeds
 * `maxDepth` or `maxNodes`.
 */
export function parseJsonObject(body: RequestBody): JsonObject {
  const value = body.use(parse);
  if (!isJsonObject(value)) {
    throw new GatewayError("invalid_json", "The body must be a JSON object.");
  }
  if (isDeeper(value, maxDepth)) {
    throw new GatewayError("invalid_json", `The body is nested deeper than ${maxDepth} levels.`);
  }
  return value;
}

/** The byte order mark of UTF-8. */
const mark = Buffer.from("\ufeff");

/** Returns, in one buffer, a parsed body without the byte order mark that some clients send. */
export function withoutMark(body: RequestBody): Buffer {
  const text = body.joined();
  return text.subarray(0, mark.length).equals(mark) ? text.subarray(mark.length) : text;
}

function parse(text: Buffer): unknown {
  if (text.length === 0) {
    throw new GatewayError("invalid_json", "The body is empty: a JSON object is required.");
  }
  if (text.length > minNodeBytes * maxNodes && hasMoreThan(maxNodes, text)) {
    const message = `The body has more than ${maxNodes} arrays, objects and members.`;
    throw new GatewayError("invalid_json", message);
  }
  try {
    return JSON.parse(utf8.decode(text));
  } catch (cause) {
    throw new GatewayError("invalid_json", `The body is not JSON: ${describe(cause)}.`, { cause });
  }
}

/**
 * Describes why a body cannot be parsed, with the place where V8's error has one. The part of the body that
 * the error may quote is left out, because the message is stored with the record of the request.
 */
function describe(cause: unknown): string {
  if (!(cause instanceof SyntaxError)) return "it is not UTF-8";
  const { message } = cause;
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  if (line !== undefined) return `it has an error at line ${line}, column ${column}`;
  if (message.startsWith("Unexpected end")) return "it ends before its last bracket or brace";
  const [, token] = /^Unexpected token ('.{1,2}'), /su.exec(message) ?? [];
  return token === undefined ? "it has an error" : `it has an unexpected ${token}`;
}

function isDeeper(value: object, depth: number): boolean {
  if (depth === 0) return true;
  // `Object.values` would copy an array of millions of elements.
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === "object" && inner !== null && isDeeper(inner, depth - 1)) return true;
  }
  return false;
}
