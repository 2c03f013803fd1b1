import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";

/** Returns a completion as the chunks of a stream: its message, its reason to finish and its usage. */
export function chunksOfCompletion({ choices, usage, ...rest }: JsonObject): JsonObject[] {
  const created = Math.floor(Date.now() / 1_000);
  const head = { ...rest, id: rest.id ?? "", object: "chat.completion.chunk", created };
  const all = objectsIn(choices);
  if (all.length === 0) return [];
  const begun = all.map(({ message, ...choice }) => {
    return { ...choice, delta: deltaOf(message), finish_reason: null };
  });
  const ended = all.map(({ message: _, ...choice }) => ({ ...choice, delta: {} }));
  return [
    { ...head, choices: begun },
    { ...head, choices: ended },
    { ...head, choices: [], usage },
  ];
}

function deltaOf(message: unknown): JsonObject {
  if (!isJsonObject(message)) return {};
  const { tool_calls, ...delta } = message;
  const calls = objectsIn(tool_calls).map((call, index) => ({ index, ...call }));
  return calls.length === 0 ? delta : { ...delta, tool_calls: calls };
}
