import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage, ToolCalls } from "@tollgate/providers/chat-usage";
import { SlotFailure } from "@tollgate/upstream/failure";
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

/** Reads the value of a chunk of a chat completion. Returns undefined for an error, or any other value. */
export function toChunk(
  value: unknown,
  { readUsageBlock }: Pick<ResponseContext, "readUsageBlock">,
): Chunk | undefined {
  if (!hasChoices(value)) return undefined;
  const usage = readUsageBlock(value.usage);
  return { data: "", value, usage, choices: value.choices, toolCalls: undefined, isLast: false };
}

/**
 * Returns the value in the data of an event; undefined for data that is not JSON, which is a heartbeat.
 * Throws a SlotFailure for an object that is cut.
 */
export function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    if (!data.trimStart().startsWith("{")) return undefined;
    throw new SlotFailure("rejected", "an event of the stream is cut", { cause });
  }
}
