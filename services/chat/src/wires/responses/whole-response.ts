import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { responsesEventFailure } from "@tollgate/providers/openai/errors";
import { SlotFailure } from "@tollgate/upstream/failure";
import { hasOutput } from "../chat/completion.ts";
import type { NamedEvent } from "../named-event.ts";

/** A whole response of the Responses API, as a provider sends it. */
export type WholeResponse = JsonObject & { output: readonly unknown[] };

/**
 * Returns a value that is a complete response, with a list as its output. Throws a SlotFailure for any other
 * value, and for a response that reports an error.
 */
export function wholeResponse(value: unknown): WholeResponse {
  const { status, output: listed, ...rest } = isJsonObject(value) ? value : {};
  const output = listed ?? (isFinal(status) ? [] : undefined);
  const isFailed = status === "failed" || (isJsonObject(rest.error) && !isFinal(status));
  if (isFailed) throw responsesEventFailure({ response: rest });
  if (!hasStatus(status) || !Array.isArray(output)) {
    throw new SlotFailure("rejected", "the provider's response is not a complete one");
  }
  return { ...rest, status, output };
}

/** Returns whether a response has neither a final status nor output. */
export function isEmptyResponse({ status, output }: JsonObject): boolean {
  return hasStatus(status) && !isFinal(status) && Array.isArray(output) && !hasOutput(output);
}

/** Whether a response says that it has ended. */
export function isFinal(status: unknown): boolean {
  return status === "completed" || status === "incomplete";
}

/** Whether a response may be complete: some providers leave the status out. */
function hasStatus(status: unknown): boolean {
  return isFinal(status) || status === undefined || status === null || status === "";
}

/** Returns the events of a stream of a response. One that is empty has the first only. */
export function eventsOfResponse(whole: WholeResponse): NamedEvent[] {
  const { status: written } = whole;
  const status = isFinal(written) ? written : "completed";
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  const events: NamedEvent[] = [{ type: "response.created", response: begun }];
  if (!isEmptyResponse(whole)) {
    events.push({ type: "response.in_progress", response: begun });
    for (const [index, item] of objectsIn(whole.output).entries()) {
      events.push(...eventsOfItem(item, index));
    }
    events.push({ type: `response.${status}`, response: { ...whole, status } });
  }
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

function eventsOfItem(item: JsonObject, output_index: number): NamedEvent[] {
  const { start, deltas } = partsOfItem(item, { item_id: item.id, output_index });
  return [
    { type: "response.output_item.added", output_index, item: start },
    ...deltas,
    { type: "response.output_item.done", output_index, item },
  ];
}

/** Clients read messages and calls of functions by their deltas, and any other item as it ends. */
function partsOfItem(item: JsonObject, place: JsonObject) {
  const { type, content, arguments: written } = item;
  if (type === "message") {
    const start = { ...item, status: "in_progress", content: [] };
    const parts = objectsIn(content);
    return {
      start,
      deltas: parts.flatMap((part, content_index) =>
        eventsOfPart(part, { ...place, content_index }),
      ),
    };
  }
  if (type !== "function_call" || typeof written !== "string") return { start: item, deltas: [] };
  const start = { ...item, status: "in_progress", arguments: "" };
  const named = "response.function_call_arguments";
  return {
    start,
    deltas: [
      { type: `${named}.delta`, ...place, delta: written },
      { type: `${named}.done`, ...place, name: item.name, arguments: written },
    ],
  };
}

function eventsOfPart(part: JsonObject, place: JsonObject): NamedEvent[] {
  const isRefusal = part.type === "refusal";
  const member = isRefusal ? "refusal" : "text";
  const text = part[member];
  if (typeof text !== "string") return [];
  const named = isRefusal ? "response.refusal" : "response.output_text";
  const more = isRefusal ? {} : { logprobs: [] };
  return [
    { type: "response.content_part.added", ...place, part: { ...part, [member]: "" } },
    { type: `${named}.delta`, ...place, delta: text, ...more },
    { type: `${named}.done`, ...place, [member]: text, ...more },
    { type: "response.content_part.done", ...place, part },
  ];
}
