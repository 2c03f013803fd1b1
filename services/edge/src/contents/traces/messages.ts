import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";

/** A part of a message, as OpenTelemetry's conventions for generative AI have it. */
export interface TracedPart {
  type: string;
  [field: string]: unknown;
}

/** A message of a prompt or a response, as these conventions have it. */
export interface TracedMessage {
  role: string;
  parts: TracedPart[];
  /** Why a response ended. */
  finish_reason?: string;
}

/**
 * Returns the messages of a request of the chat completions, the Messages or the Responses API. Those of another
 * request are one message with its whole body.
 */
export function inputMessages(request: JsonObject): TracedMessage[] {
  const { messages, input } = request;
  if (Array.isArray(messages)) return objectsIn(messages).map((message) => toMessage(message));
  if (Array.isArray(input) && input.every(isJsonObject)) return input.map(toItem);
  const text = typeof input === "string" ? input : JSON.stringify(request);
  return [{ role: "user", parts: [textPart(text)] }];
}

/** Returns the parts of the instructions that are no message: `system` or `instructions`. */
export function systemInstructions({ system, instructions }: JsonObject): TracedPart[] {
  return partsOf(system ?? instructions);
}

/** Returns the messages of a whole response. Undefined for one of another route, such as vectors. */
export function outputMessages(response: JsonObject): TracedMessage[] | undefined {
  const { choices, output, content, stop_reason: stopReason, status } = response;
  if (Array.isArray(choices)) {
    return objectsIn(choices).map(({ message, finish_reason: reason }) => ({
      ...toMessage(isJsonObject(message) ? message : {}, "assistant"),
      finish_reason: nameOf(reason),
    }));
  }
  if (Array.isArray(output)) {
    const parts = objectsIn(output).flatMap((item) => toItem(item).parts);
    return [{ role: "assistant", parts, finish_reason: nameOf(status) }];
  }
  if (!Array.isArray(content)) return undefined;
  return [{ role: "assistant", parts: partsOf(content), finish_reason: nameOf(stopReason) }];
}

export function textPart(content: string): TracedPart {
  return { type: "text", content };
}

/** Returns a message of chat completions or of the Messages API. */
function toMessage(message: JsonObject, from = "user"): TracedMessage {
  const { role = from, content, tool_call_id: id, tool_calls: calls } = message;
  if (role === "tool") {
    return { role: "tool", parts: [{ type: "tool_call_response", id, response: content }] };
  }
  return { role: String(role), parts: [...partsOf(content), ...objectsIn(calls).map(toCall)] };
}

/** Returns a call of a tool, as chat completions have it. */
function toCall({ id, function: called, custom }: JsonObject): TracedPart {
  const { name, arguments: args, input } = { ...Object(called), ...Object(custom) };
  return { type: "tool_call", id, name, arguments: args ?? input };
}

/** Returns an item of the Responses API. */
function toItem(item: JsonObject): TracedMessage {
  const { type, role, content, call_id: id, name, arguments: args, output } = item;
  if (type === "function_call") {
    return { role: "assistant", parts: [{ type: "tool_call", id, name, arguments: args }] };
  }
  if (type === "function_call_output") {
    return { role: "tool", parts: [{ type: "tool_call_response", id, response: output }] };
  }
  if (content !== undefined) return { role: String(role ?? "user"), parts: partsOf(content) };
  return { role: "assistant", parts: [{ ...item, type: String(type) }] };
}

function partsOf(content: unknown): TracedPart[] {
  return typeof content === "string" ? [textPart(content)] : objectsIn(content).map(toPart);
}

function toPart(part: JsonObject): TracedPart {
  const { type, text, thinking, id, name, input, tool_use_id: callId, content } = part;
  if (typeof text === "string") return textPart(text);
  if (typeof thinking === "string") return { type: "reasoning", content: thinking };
  if (type === "tool_use") return { type: "tool_call", id, name, arguments: input };
  if (type === "tool_result") {
    return { type: "tool_call_response", id: callId, response: content };
  }
  return { ...part, type: String(type) };
}

function nameOf(reason: unknown): string {
  return typeof reason === "string" ? reason : "";
}
