import type { JsonObject } from "@tollgate/core/json";

type TypedObject = JsonObject & { type: string };

const counts = { input_tokens: 10, output_tokens: 5 };
const empty = { id: "msg_a", type: "message", role: "assistant", model: "u", stop_sequence: null };

/** Returns a message of Anthropic's API. */
export function claudeMessage(
  content: readonly object[],
  stop_reason: string = "end_turn",
  usage: object = counts,
): JsonObject {
  return { ...empty, content, stop_reason, usage };
}

/** Returns the event that begins a message's stream. */
export function claudeStart(usage: object = { ...counts, output_tokens: 1 }): TypedObject {
  return {
    type: "message_start",
    message: { ...empty, content: [], stop_reason: null, usage },
  };
}

/** Returns the events of a block. */
export function claudeBlock(
  index: number,
  content_block: object,
  ...deltas: readonly object[]
): TypedObject[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** Returns the events that end a message's stream. */
export function claudeEnd(
  stop_reason: string,
  usage: object = { output_tokens: 5 },
): TypedObject[] {
  return [
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}
