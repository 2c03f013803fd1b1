import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { GatewayError } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { gatherChunks } from "@tollgate/http/gather-chunks";
import express, { type Request, type Response } from "express";
import type { Exchange } from "./exchange.ts";
import { hasMoreThan } from "./json-text.ts";

/** The largest JSON body that any route reads. */
export const maxBodyBytes = 32 * 1024 * 1024;
/** Deeper than any request needs, and shallow enough for every later walk over the body. */
const maxDepth = 256;
/** Arrays, objects and members. More than any request needs; 32 MiB of them would take seconds. */
const maxParts = 1_000_000;
/** An array of its own, which is the shortest. */
const leastPartBytes = 2;

/** A part takes some 600 bytes besides its own, and a client may send each byte as one. */
const maxLooseParts = 1_024;

const readRaw = express.raw({ limit: maxBodyBytes, type: () => true });
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the body, whatever its content type says. Raises `invalid_json` when it is too large. */
export async function readBody({ req, res }: Exchange): Promise<Buffer> {
  const length = plainLength(req);
  if (length !== undefined && length > maxBodyBytes) throw tooLarge();
  try {
    // Whoever listens from now on is told no more.
    if (req.destroyed) throw new Error("the body was cut off");
    return length === undefined ? await readAny(req, res) : await readPlain(req, length);
  } catch (error) {
    throw unreadable(error);
  }
}

/** What a body says of its length, where it may be read as it is; undefined for any other. */
function plainLength({ headers }: IncomingMessage): number | undefined {
  const { "content-length": length, "content-encoding": encoding } = headers;
  return length === undefined || encoding !== undefined ? undefined : Number(length);
}

/** Node's parser sees to it that the body is as long as it said. */
function readPlain(req: IncomingMessage, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let joined = 0;
    req.on("data", (part: Buffer) => {
      parts.push(part);
      if (parts.length - joined < maxLooseParts) return;
      parts.splice(joined, maxLooseParts, Buffer.concat(parts.slice(joined)));
      joined += 1;
    });
    req.once("error", reject);
    req.once("end", () => {
      resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length));
    });
  });
}

/** Inflates what is compressed, counts what has no length, and refuses what is too large. */
async function readAny(req: IncomingMessage, res: ServerResponse): Promise<Buffer> {
  const pieces = gatherChunks();
  const bytes = Readable.from(req.pipe(pieces), { objectMode: false });
  // It looks at nothing of a request but its headers and its bytes.
  const source = Object.assign(bytes, { headers: req.headers, body: undefined });
  try {
    await new Promise<void>((resolve, reject) => {
      req.once("aborted", () => reject(new Error("the body was cut off")));
      readRaw(source as unknown as Request, res as Response, (error?: unknown) =>
        error === undefined ? resolve() : reject(error),
      );
    });
  } finally {
    req.unpipe(pieces);
  }
  return Buffer.isBuffer(source.body) ? source.body : Buffer.alloc(0);
}

/** Raises `invalid_json` when a body is no UTF-8, no JSON, no object, or has too much in it. */
export function parseJsonObject(body: Buffer): JsonObject {
  const value = parse(body);
  if (!isJsonObject(value)) {
    throw new GatewayError("invalid_json", "The body must be a JSON object.");
  }
  if (isDeeper(value, maxDepth)) {
    throw new GatewayError("invalid_json", `The body nests deeper than ${maxDepth} levels.`);
  }
  return value;
}

function parse(body: Buffer): unknown {
  if (body.length === 0) {
    throw new GatewayError("invalid_json", "The body is empty: a JSON object is needed.");
  }
  if (body.length > leastPartBytes * maxParts && hasMoreThan(maxParts, body)) {
    const message = `The body has more than ${maxParts} arrays, objects and members.`;
    throw new GatewayError("invalid_json", message);
  }
  try {
    return JSON.parse(utf8.decode(body));
  } catch (cause) {
    const detail = cause instanceof SyntaxError ? cause.message : "it is not UTF-8";
    throw new GatewayError("invalid_json", `The body is not JSON: ${detail.slice(0, 200)}`, {
      cause,
    });
  }
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
  // An array of millions is walked as it is, not copied.
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === "object" && inner !== null && isDeeper(inner, depth - 1)) return true;
  }
  return false;
}
