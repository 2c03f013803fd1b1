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
  const { results, others } = resultsOf(calls, isTurn ? rest : [first, ...rest]);
  if (calls.length === 0) return isTurn ? [first, ...others] : others;
  const answered = calls.filter((_, index) => results[index] !== undefined);
  const found = results.filter((result) => result !== undefined);
  return [...turnOf(first, answered), ...found, ...others];
}

/** Returns the result of each call, and the other messages, of which results without a call are texts. */
function resultsOf(calls: readonly JsonObject[], messages: readonly JsonObject[]) {
  const results: (JsonObject | undefined)[] = calls.map(() => undefined);
  const others: JsonObject[] = [];
  for (const message of messages) {
    const isResult = message.role === "tool";
    const place = isResult ? placeOf(message, calls, results) : -1;
    const before = results[place];
    if (place >= 0) results[place] = before === undefined ? message : joined(before, message);
    else others.push(isResult ? asText(message) : message);
  }
  return { results, others };
}

/** Returns the index of a result's call, -1 without one. Of calls with one id, each gets a result in turn. */
function placeOf(
  { tool_call_id: id }: JsonObject,
  calls: readonly JsonObject[],
  results: readonly (JsonObject | undefined)[],
): number {
  const open = calls.findIndex((call, index) => call.id === id && results[index] === undefined);
  return open >= 0 ? open : calls.findLastIndex((call) => call.id === id);
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
