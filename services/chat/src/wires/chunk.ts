import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "../usage/usage.ts";
import { readUsage } from "../usage-reader.ts";
import { hasChoices } from "./chat/provider-response.ts";

/** An event of a provider's stream, and what it says in the terms of a chat completion's chunk. */
export interface Chunk {
  /** The JSON of the event. */
  data: string;
  /** The same, parsed once. */
  value: JsonObject;
  usage: ChatUsage | undefined;
  choices: readonly JsonObject[];
  /** Whether the stream ends with it. */
  isLast: boolean;
}

/** Reads a chunk of a chat completion. Returns undefined for an error, or any other value. */
export function readChunk(data: string): Chunk | undefined {
  const value = parseJson(data);
  if (!hasChoices(value)) return undefined;
  return { data, value, usage: readUsage(value.usage), choices: value.choices, isLast: false };
}

/** Returns the value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
