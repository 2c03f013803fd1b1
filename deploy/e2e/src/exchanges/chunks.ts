import type { JsonObject } from "@tollgate/core/json";

/** Usage of 10 tokens of input and 5 of output: 600 micro-USD. */
export const smallUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "u" };

/** Returns a chunk of OpenAI's wire with a delta. */
export function delta(members: object, finish: string | null = null, more: object = {}) {
  const choice = { index: 0, delta: members, finish_reason: finish };
  return { ...head, choices: [choice], ...more };
}

/** Returns the chunk of OpenAI's wire that reports usage. */
export function usageChunk(usage: object = smallUsage) {
  return { ...head, choices: [], usage };
}

/** Returns how OpenAI's wire ends a stream: the finish reason, the usage and `[DONE]`. */
export function end(finish: string, usage: object = smallUsage): (object | string)[] {
  return [delta({}, finish), usageChunk(usage), "[DONE]"];
}

/** Returns a chat completion of OpenAI's wire. */
export function completion(
  message: object,
  finish: string = "stop",
  usage: object = smallUsage,
): JsonObject {
  const choice = { index: 0, message: { role: "assistant", ...message }, finish_reason: finish };
  return { id: "c", object: "chat.completion", created: 1, model: "u", choices: [choice], usage };
}

/** Returns a call of `read_file` in a completion of OpenAI's wire. */
export function toolCall(id: string, text: string, more: object = {}) {
  return { id, type: "function", function: { name: "read_file", arguments: text }, ...more };
}

/** Returns a call of `read_file` in a chunk of OpenAI's wire, whole. */
export function callDelta(id: string, text: string, more: object = { index: 0 }) {
  return delta({ tool_calls: [toolCall(id, text, more)] });
}
