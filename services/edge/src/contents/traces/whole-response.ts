import { isJsonObject, type JsonObject, jsonObjectOf, objectsIn } from "@tollgate/core/json";

/**
 * Returns the response that the events of a stream make up, in the form of a whole response of the same API:
 * texts and calls of tools. An event that was cut is left out.
 */
export function wholeOfStream(events: string): JsonObject {
  const response = new StreamParts();
  for (const line of events.split("\n")) {
    const event = line.startsWith("data:") ? jsonObjectOf(line.slice(5)) : undefined;
    if (event !== undefined) response.add(event);
  }
  return response.whole();
}

class StreamParts {
  readonly #choices = new Map<unknown, Choice>();
  readonly #blocks = new Map<unknown, JsonObject>();
  #stopReason: unknown;
  #text = "";
  #response: JsonObject | undefined;

  add(event: JsonObject): void {
    const { type, index, delta, response } = event;
    if (type === undefined) this.#addChunk(event);
    if (type === "response.output_text.delta") this.#text += textOf(delta);
    // The last event of the Responses API has the whole response.
    if (isJsonObject(response) && objectsIn(response.output).length > 0) this.#response = response;
    if (type === "content_block_start") this.#blocks.set(index, { ...Object(event.content_block) });
    if (type === "content_block_delta") addToBlock(this.#blocks.get(index), Object(delta));
    if (type === "message_delta") this.#stopReason = Object(delta).stop_reason;
  }

  whole(): JsonObject {
    if (this.#response !== undefined) return this.#response;
    if (this.#text !== "") return { output: [{ type: "message", content: this.#text }] };
    if (this.#blocks.size > 0) {
      return { content: [...this.#blocks.values()], stop_reason: this.#stopReason };
    }
    const choices = [...this.#choices.values()].map(({ content, calls, reason }) => ({
      message: { content, tool_calls: [...calls.values()] },
      finish_reason: reason,
    }));
    return { choices };
  }

  /** Adds a chunk of chat completions. */
  #addChunk({ choices }: JsonObject): void {
    for (const { index, delta, finish_reason: reason } of objectsIn(choices)) {
      const choice = this.#choices.get(index) ?? { content: "", calls: new Map(), reason: "" };
      this.#choices.set(index, choice);
      const { content, tool_calls: calls } = Object(delta) as JsonObject;
      choice.content += textOf(content);
      choice.reason = reason ?? choice.reason;
      for (const call of objectsIn(calls)) addToCall(choice.calls, call);
    }
  }
}

interface Choice {
  content: string;
  calls: Map<unknown, { id: unknown; function: { name: unknown; arguments: string } }>;
  reason: unknown;
}

function addToCall(calls: Choice["calls"], { index, id, function: part }: JsonObject): void {
  const { name, arguments: args } = Object(part) as JsonObject;
  const call = calls.get(index) ?? { id, function: { name, arguments: "" } };
  call.function.arguments += textOf(args);
  calls.set(index, call);
}

/** Adds to a block of the Messages API. */
function addToBlock(block: JsonObject | undefined, delta: JsonObject): void {
  if (block === undefined) return;
  const { text, thinking, partial_json: json } = delta;
  if (typeof text === "string") block.text = textOf(block.text) + text;
  if (typeof thinking === "string") block.thinking = textOf(block.thinking) + thinking;
  // A call begins with an empty object as its input.
  if (typeof json === "string") block.input = textOf(block.input) + json;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
