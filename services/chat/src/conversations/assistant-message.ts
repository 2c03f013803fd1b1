import { isJsonObject, type JsonObject } from "@tollgate/core/json";

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
  const toolCalls = new Map<number, ToolCall>();
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
    message: () => kept({ content: null, ...texts, tool_calls: inOrder(toolCalls) }),
  };
}

interface ToolCall {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

const maxToolCalls = 1_000;

function addToolCall(toolCalls: Map<number, ToolCall>, part: JsonObject): void {
  const index = typeof part.index === "number" ? part.index : toolCalls.size;
  if (!toolCalls.has(index)) {
    if (toolCalls.size === maxToolCalls) return;
    toolCalls.set(index, { id: "", type: "function", function: { name: "", arguments: "" } });
  }
  const call = toolCalls.get(index) as ToolCall;
  if (typeof part.id === "string" && part.id !== "") call.id = part.id;
  const { name, arguments: more }: JsonObject = isJsonObject(part.function) ? part.function : {};
  if (typeof name === "string") call.function.name += name;
  if (typeof more === "string") call.function.arguments += more;
}

/**
 * The calls by their indices, of which a provider may leave some out; one without a name is none.
 */
function inOrder(toolCalls: ReadonlyMap<number, ToolCall>): ToolCall[] {
  const indices = [...toolCalls.keys()].sort((left, right) => left - right);
  const calls = indices.map((index) => toolCalls.get(index) as ToolCall);
  return calls.filter((call) => call.function.name !== "");
}

/**
 * A model may end without a word, such as when its thoughts took all tokens. Sent back, a message
 * without anything in it is refused, so that no later turn would work: it says an empty text.
 */
function kept(message: JsonObject): JsonObject {
  const fields: JsonObject = { role: "assistant", content: null };
  for (const name of keptFields) {
    const value = message[name];
    if (Array.isArray(value) && value.length === 0) continue;
    if (value !== undefined && value !== null) fields[name] = value;
  }
  const { content, refusal, tool_calls } = fields;
  if (content === null && refusal === undefined && tool_calls === undefined) fields.content = "";
  return fields;
}
