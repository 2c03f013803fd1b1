import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { eventBytes, type NamedEvent } from "../named-event.ts";
import { contentPart } from "./items.ts";
import { incomplete } from "./response-object.ts";

interface OpenItem {
  item: JsonObject;
  /** The type of the part of a message that is open. */
  part: "output_text" | "refusal" | undefined;
  text: string;
}

/** Follows a provider's stream, to end it as incomplete where the wallet has nothing for the rest. */
export class CutResponse {
  readonly #alias: string;
  readonly #output: JsonObject[] = [];
  #response: JsonObject = {};
  #sequence = -1;
  #open: OpenItem | undefined;
  #events: Buffer[] = [];

  constructor(alias: string) {
    this.#alias = alias;
  }

  /** Called for every event that the client is sent. */
  see({ type, sequence_number, response, item, part, delta }: JsonObject): void {
    this.#sequence = typeof sequence_number === "number" ? sequence_number : this.#sequence + 1;
    if (isJsonObject(response)) this.#response = response;
    if (type === "response.output_item.added" && isJsonObject(item)) {
      this.#open = { item, part: undefined, text: "" };
    }
    if (type === "response.content_part.added" && isJsonObject(part) && this.#open !== undefined) {
      this.#open.part = part.type === "refusal" ? "refusal" : "output_text";
    }
    if (this.#open !== undefined && typeof delta === "string") this.#open.text += delta;
    if (type === "response.output_item.done" && isJsonObject(item)) {
      this.#output.push(item);
      this.#open = undefined;
    }
  }

  /** Returns the events that end the stream. */
  end(usage: JsonObject): Uint8Array {
    if (this.#open !== undefined) this.#close(this.#open);
    const ended = { model: this.#alias, ...incomplete("max_output_tokens") };
    const response = { ...this.#response, ...ended, output: this.#output, usage };
    this.#write({ type: "response.incomplete", response });
    return Buffer.concat(this.#events);
  }

  #close({ item, part, text }: OpenItem): void {
    const index = this.#output.length;
    const content = part === undefined ? [] : [contentPart(part, text)];
    if (part !== undefined) {
      const place = { item_id: item.id, output_index: index, content_index: 0 };
      const said = part === "refusal" ? { refusal: text } : { text, logprobs: [] };
      this.#write({ type: `response.${part}.done`, ...place, ...said });
      this.#write({ type: "response.content_part.done", ...place, part: content[0] });
    }
    const done = cutItem(item, text, content);
    this.#write({ type: "response.output_item.done", output_index: index, item: done });
    this.#output.push(done);
  }

  #write({ type, ...members }: NamedEvent): void {
    this.#sequence += 1;
    this.#events.push(eventBytes({ type, sequence_number: this.#sequence, ...members }));
  }
}

/** Returns an item with what was delivered of it. */
function cutItem(item: JsonObject, text: string, content: JsonObject[]): JsonObject {
  const status = "incomplete";
  if (item.type === "function_call") return { ...item, arguments: text, status };
  if (item.type === "custom_tool_call") return { ...item, input: text, status };
  return item.type === "message" ? { ...item, status, content } : item;
}
