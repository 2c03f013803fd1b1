import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/** Providers with cache marks refuse a request that has more. */
const mostMarks = 4;

/**
 * Returns a request whose cache marks are those of parts and tools, and no more than a provider takes: the
 * last ones, which end the longest prefixes. The same object where nothing is changed.
 */
export function withPlacedMarks(request: JsonObject): JsonObject {
  const messages = placedList(request.messages, withPlacedMark);
  const surplus = count(request.tools) + count(messages, marksOfMessage) - mostMarks;
  if (surplus <= 0) return messages === request.messages ? request : { ...request, messages };
  let left = surplus;
  const withFewer = (marked: unknown): unknown => {
    if (left === 0 || !isMarked(marked)) return marked;
    left -= 1;
    const { cache_control: _, ...rest } = marked;
    return rest;
  };
  const tools = placedList(request.tools, withFewer);
  const fewer = placedList(messages, (message) => {
    if (!isJsonObject(message) || !Array.isArray(message.content)) return message;
    return { ...message, content: message.content.map(withFewer) };
  });
  return { ...request, messages: fewer, ...(tools === undefined ? {} : { tools }) };
}

/** Some clients mark a message: its last part is marked instead. */
function withPlacedMark(message: unknown): unknown {
  if (!isMarked(message)) return message;
  const { cache_control, ...rest } = message;
  const { content } = rest;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(parts) || content === "") return rest;
  const last = parts.at(-1);
  return { ...rest, content: [...parts.slice(0, -1), { cache_control, ...last }] };
}

function placedList(list: unknown, place: (one: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  const placed = list.map(place);
  return placed.some((one, index) => one !== list[index]) ? placed : list;
}

function isMarked(one: unknown): one is JsonObject {
  return isJsonObject(one) && isJsonObject(one.cache_control);
}

function markOf(one: unknown): number {
  return isMarked(one) ? 1 : 0;
}

function marksOfMessage(message: unknown): number {
  return isJsonObject(message) ? count(message.content) : 0;
}

function count(list: unknown, marksOf: (one: unknown) => number = markOf): number {
  if (!Array.isArray(list)) return 0;
  return list.reduce((sum: number, one) => sum + marksOf(one), 0);
}
