import type { IncomingMessage } from "node:http";
import { readRequestBytes } from "./read-body.ts";

/** The call log does not store larger bodies. */
const RECORDED_BODY_LIMIT_BYTES = 1024 * 1024;

export interface ReceivedJson {
  isTooLarge: boolean;
  /** The parsed body; undefined when it is too large or not JSON. */
  value: unknown;
  /** The same value when it is small enough for the call log, else undefined. */
  recordable: unknown;
}

export async function readJsonBody(request: IncomingMessage): Promise<ReceivedJson> {
  const raw = await readRequestBytes(request);
  if (raw === undefined) return { isTooLarge: true, value: undefined, recordable: undefined };
  const value = parseJson(raw);
  const recordable = raw.length <= RECORDED_BODY_LIMIT_BYTES ? value : undefined;
  return { isTooLarge: false, value, recordable };
}

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
