import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import type { TextSample } from "../../tokenizer/text-sample.ts";
import { generatedReasoning } from "../generated-message.ts";

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
  return { kind, name: textOrEmpty(body.name), text: argumentsText(text) };
}

/** Some providers write arguments as the object that they are. */
function argumentsText(value: unknown): string {
  return isJsonObject(value) ? JSON.stringify(value) : textOrEmpty(value);
}

function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the texts in the content of a message or a delta: one, or a list of parts. */
export function textsIn(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  return objectsIn(content).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
}

/**
 * Returns a message or a delta whose content is a text: that of its parts, of which thinking becomes
 * `reasoning_content`, as Mistral's models write it. The same where its content is a text, or none.
 */
export function withTextContent(message: JsonObject): JsonObject {
  if (typeof message.content === "string" || (message.content ?? null) === null) return message;
  const { content, ...rest } = message;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const text = parts.map((part) => (isThinking(part) ? "" : textOfPart(part))).join("");
  const thinking = parts.map((part) => (isThinking(part) ? textOfPart(part) : "")).join("");
  if (thinking === "" || generatedReasoning(message) !== "") return { ...rest, content: text };
  return { ...rest, content: text, reasoning_content: thinking };
}

function isThinking(part: unknown): boolean {
  return isJsonObject(part) && (part.type === "thinking" || part.type === "reasoning");
}

/** Thinking is a text, or a list of parts. */
function textOfPart(part: unknown): string {
  if (!isJsonObject(part)) return textOrEmpty(part);
  const { text, thinking } = part;
  return textOrEmpty(text) + textsIn(thinking).join("");
}

/** Returns a choice's index; a choice without one is the first. */
export function indexOf({ index }: JsonObject): number {
  return typeof index === "number" ? index : 0;
}

/** Adds the generated text in a message or a stream's delta to a sample. */
export function addContent(message: unknown, sample: TextSample): void {
  visitTexts(message, sample, addText);
}

/** Counts the UTF-8 bytes of generated text in a stream's delta. */
export function contentBytes(delta: unknown): number {
  const size = { bytes: 0 };
  visitTexts(delta, size, addBytes);
  return size.bytes;
}

function addText(sample: TextSample, text: string): void {
  sample.add(text);
}

function addBytes(size: { bytes: number }, text: string): void {
  size.bytes += Buffer.byteLength(text);
}

function visitTexts<To>(message: unknown, to: To, add: (to: To, text: string) => void): void {
  if (!isJsonObject(message)) return;
  const { content, refusal, tool_calls } = message;
  if (typeof content === "string") add(to, content);
  else if (Array.isArray(content)) {
    for (const { text } of objectsIn(content)) if (typeof text === "string") add(to, text);
  }
  add(to, generatedReasoning(message));
  if (typeof refusal === "string") add(to, refusal);
  if (!Array.isArray(tool_calls)) return;
  for (const toolCall of tool_calls) {
    const { name, text } = toolCallText(toolCall);
    add(to, name);
    add(to, text);
  }
}
