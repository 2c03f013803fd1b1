import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";

/**
 * Returns the messages that providers are sent; undefined where they are those of the client. A turn of
 * the assistant with thinking alone, or with nothing, is left out, because few providers take it back, and
 * the empty text that models write for no arguments becomes an empty object. Throws `invalid_param` where none is left.
 */
export function sentMessages(messages: readonly unknown[]): JsonObject[] | undefined {
  const list = objectsIn(messages);
  if (!list.some((message) => isSilent(message) || hasEmptyArguments(message))) {
    return undefined;
  }
  const sent = list.filter((message) => !isSilent(message)).map(withArguments);
  if (sent.length > 0) return sent;
  throw invalidParam(
    "messages",
    "must have a message besides turns of the assistant that say nothing",
  );
}

/** The members of a turn that says nothing. With any other, such as `audio`, it is the provider's to judge. */
const silentMembers: ReadonlySet<string> = new Set([
  "role",
  "name",
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "cache_control",
]);

function isSilent(message: JsonObject): boolean {
  if (message.role !== "assistant" || (message.content ?? null) !== null) return false;
  return Object.entries(message).every(([name, value]) => {
    if (value === null || silentMembers.has(name)) return true;
    return Array.isArray(value) && value.length === 0;
  });
}

function hasEmptyArguments({ tool_calls }: JsonObject): boolean {
  return Array.isArray(tool_calls) && tool_calls.some(isEmptyCall);
}

function isEmptyCall(call: unknown): boolean {
  return isJsonObject(call) && isJsonObject(call.function) && call.function.arguments === "";
}

function withArguments(message: JsonObject): JsonObject {
  if (!hasEmptyArguments(message)) return message;
  const calls = objectsIn(message.tool_calls).map((call) => {
    if (!isEmptyCall(call) || !isJsonObject(call.function)) return call;
    return { ...call, function: { ...call.function, arguments: "{}" } };
  });
  return { ...message, tool_calls: calls };
}
