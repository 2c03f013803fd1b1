import { type JsonObject, objectsIn } from "@tollgate/core/json";

/**
 * Returns the messages of a chat completion with the results of each turn's calls directly behind it, as
 * providers require, and one for each call. A call without a result is left out; a result without a call
 * becomes text of the user, and further results of a call join the first.
 */
export function pairResults(messages: readonly JsonObject[]): JsonObject[] {
  const paired: JsonObject[] = [];
  for (let start = 0; start < messages.length; ) {
    const end = turnEnd(messages, start);
    const [first, ...rest] = messages.slice(start, end);
    if (first !== undefined) paired.push(...pairTurn(first, rest));
    start = end;
  }
  return paired;
}

/** Returns the index of the next turn of the assistant after `start`. */
function turnEnd(messages: readonly JsonObject[], start: number): number {
  let end = start + 1;
  while (end < messages.length && messages[end]?.role !== "assistant") end += 1;
  return end;
}

/** Pairs a message, which may be a turn of the assistant, with those before the next such turn. */
function pairTurn(first: JsonObject, rest: readonly JsonObject[]): JsonObject[] {
  const isTurn = first.role === "assistant";
  const calls = isTurn ? objectsIn(first.tool_calls) : [];
  const results = new Map<unknown, JsonObject | undefined>(calls.map(({ id }) => [id, undefined]));
  const others: JsonObject[] = [];
  for (const message of isTurn ? rest : [first, ...rest]) {
    if (message.role !== "tool") others.push(message);
    else if (!results.has(message.tool_call_id)) others.push(asText(message));
    else {
      const before = results.get(message.tool_call_id);
      results.set(message.tool_call_id, before === undefined ? message : joined(before, message));
    }
  }
  if (calls.length === 0) return isTurn ? [first, ...others] : others;
  const answered = calls.filter(({ id }) => results.get(id) !== undefined);
  const found = [...results.values()].filter((result) => result !== undefined);
  return [...turnOf(first, answered), ...found, ...others];
}

/** Returns a turn with these of its calls; none where it says nothing else. */
function turnOf(turn: JsonObject, calls: readonly JsonObject[]): JsonObject[] {
  const { tool_calls: _calls, ...said } = turn;
  if (calls.length > 0) return [{ ...turn, tool_calls: calls }];
  const isEmpty = (said.content ?? "") === "" && (said.refusal ?? "") === "";
  return isEmpty ? [] : [said];
}

function asText({ content }: JsonObject): JsonObject {
  const note = { type: "text", text: "[result of a tool whose call is not in the conversation]" };
  return { role: "user", content: [note, ...partsOf(content)] };
}

function joined(first: JsonObject, second: JsonObject): JsonObject {
  return { ...first, content: [...partsOf(first.content), ...partsOf(second.content)] };
}

function partsOf(content: unknown): readonly JsonObject[] {
  if (typeof content !== "string") return objectsIn(content);
  return content === "" ? [] : [{ type: "text", text: content }];
}
