import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { indexOf, type ToolCallText, toolCallText } from "../wires/chat/content.ts";

/** The fields of an assistant's message that are sent again with the next turn. */
const storedFields = ["content", "refusal", "tool_calls", "name"] as const;

/** Returns the message to store of a complete response: that of its first choice. */
export function messageOf(choices: readonly unknown[]): JsonObject {
  const [choice] = choices;
  const message = isJsonObject(choice) && isJsonObject(choice.message) ? choice.message : {};
  return storedMessage(message);
}

/** Assembles a message from the first choice of a stream's chunks. */
export class MessageBuilder {
  readonly #texts: Record<string, string> = {};
  readonly #toolCalls = new Map<number, ToolCall>();
  #finishReason: unknown;

  add(choices: readonly JsonObject[]): void {
    for (const choice of choices) if (indexOf(choice) === 0) this.#addChoice(choice);
  }

  /** Returns the message to store, and why it ended. */
  end(): { message: JsonObject; finishReason: unknown } {
    const calls = inOrder(this.#toolCalls);
    const message = storedMessage({ content: null, ...this.#texts, tool_calls: calls });
    return { message, finishReason: this.#finishReason };
  }

  #addChoice({ delta, finish_reason }: JsonObject): void {
    this.#finishReason = finish_reason ?? this.#finishReason;
    if (!isJsonObject(delta)) return;
    for (const name of ["content", "refusal"]) {
      const text = delta[name];
      if (typeof text === "string") this.#texts[name] = (this.#texts[name] ?? "") + text;
    }
    if (!Array.isArray(delta.tool_calls)) return;
    for (const part of delta.tool_calls) if (isJsonObject(part)) addToolCall(this.#toolCalls, part);
  }
}

interface ToolCall extends ToolCallText {
  id: string;
}

const maxToolCalls = 1_000;

function addToolCall(toolCalls: Map<number, ToolCall>, part: JsonObject): void {
  const index = typeof part.index === "number" ? part.index : toolCalls.size;
  if (!toolCalls.has(index)) {
    if (toolCalls.size === maxToolCalls) return;
    toolCalls.set(index, { id: "", kind: "function", name: "", text: "" });
  }
  const call = toolCalls.get(index) as ToolCall;
  const { kind, name, text } = toolCallText(part);
  if (typeof part.id === "string" && part.id !== "") call.id = part.id;
  if (kind === "custom") call.kind = kind;
  call.name += name;
  call.text += text;
}

/** Returns the calls by index. Providers may skip indices; a call without a name is dropped. */
function inOrder(toolCalls: ReadonlyMap<number, ToolCall>): JsonObject[] {
  const indices = [...toolCalls.keys()].sort((left, right) => left - right);
  const calls = indices.map((index) => toolCalls.get(index) as ToolCall);
  return calls.filter(({ name }) => name !== "").map(toJson);
}

function toJson({ id, kind, name, text }: ToolCall): JsonObject {
  if (kind === "custom") return { id, type: kind, custom: { name, input: text } };
  return { id, type: kind, function: { name, arguments: text } };
}

/**
 * A model may end without any output, for example when its reasoning used up all tokens. Providers
 * refuse a message that has no content, so every later turn would fail: such a message gets an empty
 * text.
 */
function storedMessage(message: JsonObject): JsonObject {
  const fields: JsonObject = { role: "assistant", content: null };
  for (const name of storedFields) {
    const value = message[name];
    if (Array.isArray(value) && value.length === 0) continue;
    if (value !== undefined && value !== null) fields[name] = value;
  }
  const { content, refusal, tool_calls } = fields;
  if (content === null && refusal === undefined && tool_calls === undefined) fields.content = "";
  return fields;
}
