import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { ChatUsage, ToolCalls } from "@tollgate/providers/chat-usage";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { hasChoices } from "./chat/completion.ts";
import type { ResponseContext } from "./response-context.ts";

/** An event of a provider's stream, and what it says in the terms of a chat completion's chunk. */
export interface Chunk {
  /** The JSON of the event; empty where an adapter made the chunk. */
  data: string;
  /** The same, parsed once. */
  value: JsonObject;
  usage: ChatUsage | undefined;
  choices: readonly JsonObject[];
  /** Calls of a tool that the provider runs: one that starts, or less than none for one that is free. */
  toolCalls: ToolCalls | undefined;
  /** Whether the stream ends with it. */
  isLast: boolean;
}

/** Reads usage blocks. */
type UsageReader = Pick<ResponseContext, "readUsageBlock">;

/**
 * Reads a chunk of a chat completion. Returns undefined for any other value. Throws a SlotFailure for one
 * that reports an error.
 */
export function readChunk(
  data: string,
  context: Pick<ResponseContext, "kind" | "readUsageBlock">,
): Chunk | undefined {
  const value = parseJson(data);
  const chunk = toChunk(value, context, data);
  if (chunk === undefined && isJsonObject(value)) refuseReportedError(value, context.kind);
  return chunk;
}

/** Does the same for the value of a chunk. */
export function toChunk(value: unknown, reader: UsageReader, data = ""): Chunk | undefined {
  if (!hasChoices(value)) return undefined;
  const usage = reader.readUsageBlock(value.usage);
  return { data, value, usage, choices: value.choices, toolCalls: undefined, isLast: false };
}

/** Returns the value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
