import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { GatewayError } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { hasMoreThan } from "@tollgate/core/json-text";
import { joinSmallBuffers } from "@tollgate/core/small-buffers";
import { gatherChunks } from "@tollgate/http/gather-chunks";
import express, { type Request, type Response } from "express";
import { RequestBody } from "./request-body.ts";

/** The largest JSON body that any route reads. */
export const maxBodyBytes = 32 * 1024 * 1024;
/** Deeper than any request needs, and shallow enough for recursive functions over the body. */
const maxDepth = 256;
/** Arrays, objects and members. More than any request needs; 32 MiB of them would take seconds. */
const maxNodes = 1_000_000;
/** The size of the shortest node, an empty array. */
const minNodeBytes = 2;

/** Each chunk takes about 600 bytes of overhead, and a client may send every byte as a chunk. */
const maxPendingChunks = 1_024;

interface RequestAndResponse {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

const readRaw = express.raw({ limit: maxBodyBytes, type: () => true });
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads the body of a request, whatever its content type. Throws `invalid_json` if it is larger
 * than `maxBodyBytes`, or cannot be read.
 */
export async function readBody({ req, res }: RequestAndResponse): Promise<RequestBody> {
  const length = identityLength(req);
  if (length !== undefined && length > maxBodyBytes) throw tooLarge();
  try {
    // A destroyed request emits no further events, not even an error.
    if (req.destroyed) throw new Error("the body was cut off");
    return length === undefined ? await readEncoded(req, res) : await readIdentity(req);
  } catch (error) {
    throw unreadable(error);
  }
}

/** Returns the content length of a body that is not compressed; undefined for any other body. */
function identityLength({ headers }: IncomingMessage): number | undefined {
  const { "content-length": length, "content-encoding": encoding } = headers;
  return length === undefined || encoding !== undefined ? undefined : Number(length);
}

/** Reads an uncompressed body. Node's parser guarantees that it has the announced length. */
function readIdentity(req: IncomingMessage): Promise<RequestBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let joined = 0;
    req.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunks.length - joined < maxPendingChunks) return;
      chunks.splice(joined, maxPendingChunks, Buffer.concat(chunks.slice(joined)));
      joined += 1;
    });
    req.once("error", reject);
    req.once("end", () => resolve(new RequestBody(joinSmallBuffers(chunks))));
  });
}

/** Reads a body that is compressed or has no content length. Throws if it is too large. */
async function readEncoded(req: IncomingMessage, res: ServerResponse): Promise<RequestBody> {
  const joinedChunks = gatherChunks();
  const bytes = Readable.from(req.pipe(joinedChunks), { objectMode: false });
  // The parser reads only the headers and the bytes of a request.
  const source = Object.assign(bytes, { headers: req.headers, body: undefined });
  try {
    await new Promise<void>((resolve, reject) => {
      req.once("aborted", () => reject(new Error("the body was cut off")));
      readRaw(source as unknown as Request, res as Response, (error?: unknown) =>
        error === undefined ? resolve() : reject(error),
      );
    });
  } finally {
    req.unpipe(joinedChunks);
  }
  return new RequestBody(Buffer.isBuffer(source.body) ? [source.body] : []);
}

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

/** Describes why a body cannot be parsed, with the place where V8's error has one. */
function describe(cause: unknown): string {
  if (!(cause instanceof SyntaxError)) return "it is not UTF-8";
  const { message } = cause;
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  if (line !== undefined) return `it has an error at line ${line}, column ${column}`;
  if (message.startsWith("Unexpected end")) return "it ends before its last bracket or brace";
  const [, token, text] = /^Unexpected token (.+?), (.*) is not valid JSON$/s.exec(message) ?? [];
  return token === undefined ? "it has an error" : `${token} is not allowed in ${text}`;
}

function unreadable(cause: unknown): GatewayError {
  const type = (cause as { type?: unknown }).type;
  if (type === "entity.too.large") return tooLarge(cause);
  return new GatewayError("invalid_json", "The body could not be read.", { cause });
}

function tooLarge(cause?: unknown): GatewayError {
  const message = `The body is larger than ${maxBodyBytes} bytes.`;
  return new GatewayError("invalid_json", message, { cause });
}

function isDeeper(value: object, depth: number): boolean {
  if (depth === 0) return true;
  // `Object.values` would copy an array of millions of elements.
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === "object" && inner !== null && isDeeper(inner, depth - 1)) return true;
  }
  return false;
}
