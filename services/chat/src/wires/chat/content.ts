import { codePoints } from "@tollgate/core/code-points";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";

export interface ToolCallText {
  kind: "function" | "custom";
  name: string;
  /** The arguments of a function, or the input of a custom tool. */
  text: string;
}

/** Returns what a tool call, or a part of one in a stream, has of its name and text. */
export function toolCallText(call: unknown): ToolCallText {
  if (!isJsonObject(call)) return { kind: "function", name: "", text: "" };
  const kind = call.type === "custom" || isJsonObject(call.custom) ? "custom" : "function";
  const body: JsonObject = isJsonObject(call[kind]) ? call[kind] : {};
  const text = kind === "custom" ? body.input : body.arguments;
  return { kind, name: textOrEmpty(body.name), text: textOrEmpty(text) };
}

function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns a choice's index; a choice without one is the first. */
export function indexOf({ index }: JsonObject): number {
  return typeof index === "number" ? index : 0;
}

/** Counts the characters of generated text in a message or a stream's delta. */
export function contentCharacters(message: unknown): number {
  return sumContent(message, codePoints);
}

/** Counts the UTF-8 bytes of generated text in a stream's delta. */
export function contentBytes(delta: unknown): number {
  return sumContent(delta, Buffer.byteLength);
}

function sumContent(message: unknown, sizeOf: (text: string) => number): number {
  if (!isJsonObject(message)) return 0;
  const texts = [message.content, message.reasoning_content, message.reasoning, message.refusal];
  let size = 0;
  for (const text of texts) if (typeof text === "string") size += sizeOf(text);
  if (!Array.isArray(message.tool_calls)) return size;
  for (const toolCall of message.tool_calls) {
    const { name, text } = toolCallText(toolCall);
    size += sizeOf(name) + sizeOf(text);
  }
  return size;
}
