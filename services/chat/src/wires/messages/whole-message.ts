import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { messagesEventFailure } from "@tollgate/providers/anthropic/errors";
import { SlotFailure } from "@tollgate/upstream/failure";
import { hasOutput } from "../chat/completion.ts";
import type { NamedEvent } from "../named-event.ts";
import { stopReasonOf } from "./stop-reason.ts";

/** A whole message of Anthropic's API, as a provider sends it. */
export type WholeMessage = JsonObject & { content: readonly unknown[] };

/**
 * Returns a value that is a message, with a list as its content. Throws a SlotFailure for any other value, and
 * for one that reports an error.
 */
export function wholeMessage(value: unknown): WholeMessage {
  const { type, content: listed, ...rest } = isJsonObject(value) ? value : {};
  const content = listed ?? (typeof rest.stop_reason === "string" ? [] : undefined);
  if (type === "error" || isJsonObject(rest.error)) throw messagesEventFailure({ type, ...rest });
  if (type !== "message" || !Array.isArray(content)) {
    throw new SlotFailure("rejected", "the provider's response is not a message");
  }
  return { ...rest, type, content };
}

/** Returns whether a message has neither a stop reason nor output. */
export function isEmptyMessage({ content, stop_reason }: JsonObject): boolean {
  return typeof stop_reason !== "string" && Array.isArray(content) && !hasOutput(content);
}

/** Returns the stop reason of a message, and what it must be where its provider has left it out. */
export function messageStopReason({ content, stop_reason }: WholeMessage): string {
  if (typeof stop_reason === "string") return stop_reason;
  const hasCalls = objectsIn(content).some((block) => block.type === "tool_use");
  return stopReasonOf(stop_reason, hasCalls);
}

/** Returns the events of a stream of a message. One that is empty has the first only. */
export function eventsOfMessage(message: WholeMessage): NamedEvent[] {
  const { content, usage, stop_sequence = null } = message;
  const none = { content: [], stop_reason: null, stop_sequence: null };
  const start = { type: "message_start", message: { ...message, ...none } };
  if (isEmptyMessage(message)) return [start];
  return [
    start,
    ...objectsIn(content).flatMap(eventsOfBlock),
    {
      type: "message_delta",
      delta: { stop_reason: messageStopReason(message), stop_sequence },
      usage: usage ?? {},
    },
    { type: "message_stop" },
  ];
}

function eventsOfBlock(block: JsonObject, index: number): NamedEvent[] {
  const { start, deltas } = partsOfBlock(block);
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** Clients read these blocks by their deltas, and any other as it starts. */
function partsOfBlock(block: JsonObject): { start: JsonObject; deltas: JsonObject[] } {
  const { type, text, thinking, signature, input } = block;
  if (type === "text") {
    const citations = objectsIn(block.citations);
    const start = { ...block, text: "", ...(citations.length > 0 ? { citations: [] } : {}) };
    const cited = citations.map((citation) => ({ type: "citations_delta", citation }));
    return { start, deltas: [...cited, { type: "text_delta", text }] };
  }
  if (type === "thinking") {
    const start = { ...block, thinking: "", signature: "" };
    const signed = signature ? [{ type: "signature_delta", signature }] : [];
    return { start, deltas: [{ type: "thinking_delta", thinking }, ...signed] };
  }
  if (!isJsonObject(input)) return { start: block, deltas: [] };
  const partial_json = JSON.stringify(input);
  return {
    start: { ...block, input: {} },
    deltas: [{ type: "input_json_delta", partial_json }],
  };
}
