import type { IncomingMessage } from "node:http";
import { readBody } from "./read-body.ts";

/** Larger bodies are not kept in the journal. */
const KEPT_BODY_LIMIT_BYTES = 1024 * 1024;

export interface JsonBody {
  isTooLarge: boolean;
  /** What it says; undefined where it is too large or not JSON. */
  value: unknown;
  /** The same where it is for the journal to keep. */
  kept: unknown;
}

export async function readJsonBody(request: IncomingMessage): Promise<JsonBody> {
  const raw = await readBody(request);
  if (raw === undefined) return { isTooLarge: true, value: undefined, kept: undefined };
  const value = parseJson(raw);
  const kept = raw.length <= KEPT_BODY_LIMIT_BYTES ? value : undefined;
  return { isTooLarge: false, value, kept };
}

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
