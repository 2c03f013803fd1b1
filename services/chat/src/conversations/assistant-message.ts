import { isJsonObject, type JsonObject } from "@tollgate/kit/json";

/** What of an assistant's message is sent again with the next turn. */
const keptFields = ["content", "refusal", "tool_calls", "name"] as const;

/** The message that a whole answer's first choice holds. */
export function messageOf(choices: readonly unknown[]): JsonObject {
  const [choice] = choices;
  const message = isJsonObject(choice) && isJsonObject(choice.message) ? choice.message : {};
  return kept(message);
}

/** Puts a message together from the deltas of a stream's first choice. */
export interface MessageBuilder {
  add(delta: unknown): void;
  message(): JsonObject;
}

export function createMessageBuilder(): MessageBuilder {
  const texts: Record<string, string> = {};
  const toolCalls: ToolCall[] = [];
  return {
    add(delta) {
      if (!isJsonObject(delta)) return;
      for (const name of ["content", "refusal"]) {
        const text = delta[name];
        if (typeof text === "string") texts[name] = (texts[name] ?? "") + text;
      }
      if (!Array.isArray(delta.tool_calls)) return;
      for (const part of delta.tool_calls) if (isJsonObject(part)) addToolCall(toolCalls, part);
    },
    message: () =>
      kept({ content: null, ...texts, ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}) }),
  };
}

interface ToolCall {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

const maxToolCalls = 1_000;

function addToolCall(toolCalls: ToolCall[], part: JsonObject): void {
  const index = typeof part.index === "number" ? part.index : toolCalls.length;
  if (!Number.isInteger(index) || index < 0 || index > maxToolCalls) return;
  while (toolCalls.length <= index) {
    toolCalls.push({ id: "", type: "function", function: { name: "", arguments: "" } });
  }
  const call = toolCalls[index] as ToolCall;
  if (typeof part.id === "string" && part.id !== "") call.id = part.id;
  const { name, arguments: more }: JsonObject = isJsonObject(part.function) ? part.function : {};
  if (typeof name === "string") call.function.name += name;
  if (typeof more === "string") call.function.arguments += more;
}

function kept(message: JsonObject): JsonObject {
  const fields: JsonObject = { role: "assistant" };
  for (const name of keptFields) {
    const value = message[name];
    if (value !== undefined && (value !== null || name === "content")) fields[name] = value;
  }
  return fields;
}
